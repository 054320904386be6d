import { readFileSync } from 'node:fs';

// SWC compiles the TypeScript as `nest build` does; Jest runs it as the ES modules it is.
const { jsc } = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));

export default {
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testEnvironment: '<rootDir>/test/support/environment.mjs',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/e2e/**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // On Node.js 20 and 22, Jest cannot load the ES modules that light-my-request requires.
  transform: {
    '\\.ts$': ['@swc/jest', { jsc, module: { type: 'es6' } }],
    '/node_modules/cookie/.*\\.js$': ['@swc/jest', { module: { type: 'commonjs' } }],
  },
  transformIgnorePatterns: ['/node_modules/(?!cookie/)'],
  testTimeout: 90_000, // on a busy machine, a process takes its time to start
  maxWorkers: 4,
};
