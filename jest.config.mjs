import { availableParallelism } from 'node:os';

// Swc compiles the TypeScript the way tsconfig.json asks for; Jest runs it as the ES modules it is.
const swc = (type) => [
  '@swc/jest',
  {
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
      keepClassNames: true,
    },
    module: { type },
  },
];

const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '\\.ts$': swc('es6'),
    // CommonJS packages require these ES modules, which Node 20 and 22 cannot do inside Jest.
    'node_modules/(cookie|content-disposition)/.*\\.js$': swc('commonjs'),
  },
  transformIgnorePatterns: ['/node_modules/(?!(cookie|content-disposition)/)'],
};

export default {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'] },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'],
      testEnvironment: '<rootDir>/test/e2e/support/environment.mjs',
      globalSetup: '<rootDir>/test/e2e/support/global-setup.mjs',
    },
  ],
  testTimeout: 30_000,
  maxWorkers: Math.max(2, availableParallelism() - 1), // Jest would take one of two cores, and some tests only wait
};
