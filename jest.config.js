/**
 * Suites: `npm test` runs everything but `*.cluster.spec.ts`, which want the real control plane, and `test/console`, which
 * wants a browser.
 */
const console = process.env['PLIMSOLL_TEST_CONSOLE'] === '1';
const cluster = process.env['PLIMSOLL_TEST_CLUSTER'] === '1';

export default {
  rootDir: '.',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/migrations', '<rootDir>/test'],
  testMatch: cluster ? ['**/*.cluster.spec.ts'] : ['**/*.spec.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/dist/',
    ...(console ? [] : ['<rootDir>/test/console/']),
    ...(cluster ? [] : ['\\.cluster\\.spec\\.ts$']),
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  maxWorkers: 2,
  testTimeout: 20_000,
};
