import { availableParallelism } from 'node:os';
import { typescript } from './scripts/support/swc.mjs';
import { bundledPackages } from './test/support/packages.mjs';

// Swc compiles the TypeScript the way tsconfig.json asks for; Jest runs it as the ES modules it is.
const swc = ['@swc/jest', { jsc: typescript, module: { type: 'es6' } }];

const shared = {
  rootDir: import.meta.dirname,
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  testEnvironment: '<rootDir>/test/support/environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1', ...bundledPackages },
  transform: { '\\.ts$': swc },
};

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/scripts/**/*.spec.mjs'],
    },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'],
      // That one empties the tables between its requests, which nobody wants of a running deployment.
      testPathIgnorePatterns: process.env.BASE_URL ? ['/test/e2e/contract-fuzz/'] : [],
    },
  ],
  reporters: ['default', '<rootDir>/scripts/support/test-report.mjs'],
  testTimeout: 30_000,
  maxWorkers: availableParallelism() + 1, // many tests wait, for clocks and for other processes
};
