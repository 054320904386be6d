// SWC compiles the TypeScript as tsconfig.json asks; Jest runs it as the ES modules it is.
const typescript = {
  target: 'es2023',
  parser: { syntax: 'typescript', decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
  keepClassNames: true,
};

export default {
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testEnvironment: '<rootDir>/test/support/environment.mjs',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/e2e/**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // On Node.js 20 and 22, Jest cannot load the ES modules that light-my-request requires.
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: typescript, module: { type: 'es6' } }],
    '/node_modules/cookie/.*\\.js$': ['@swc/jest', { module: { type: 'commonjs' } }],
  },
  transformIgnorePatterns: ['/node_modules/(?!cookie/)'],
  testTimeout: 30_000,
  maxWorkers: 3,
};
