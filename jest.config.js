import { join } from 'node:path';

/**
 * Threads and processes that tests start find their modules compiled by earlier ones, which halves the CPU time
 * of starting them.
 */
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

/**
 * Suites: `npm test` runs everything but
 * - what has servers, databases and repositories of its own for each file (`npm run test:integration`);
 * - `test/e2e`, of which it runs the whole path alone, and what searches long (`test/adversarial`, `test/exhaustive`,
 *   `test/model`, `test/ledger-verifier`, `test/bench`), which `npm run test:e2e` runs;
 * - `*.cluster.spec.ts`, which want the real control plane, `test/console`, which wants a browser, and `killed-*.spec.ts`
 *   of replicas, which take as long as they are told to.
 *
 * `npm run jest -- FILE` runs any file of the first two.
 */
const suite = process.env['TEST_SUITE'];
const console = process.env['TEST_CONSOLE'] === '1';
const cluster = process.env['TEST_CLUSTER'] === '1';
const kills = process.env['REPLICA_KILLS'] !== undefined;

/** What looks through many cases, for minutes. */
const searching = ['adversarial', 'exhaustive', 'model', 'ledger-verifier', 'bench'].map(
  (folder) => `<rootDir>/test/${folder}/`,
);

/** A whole controller in the process of the test; Git's own servers; databases that are stopped and restored. */
const integrated = ['integration/application', 'integration/git-sync', 'contract/git', 'contract/ledger'].map(
  (folder) => `<rootDir>/test/${folder}/`,
);

export default {
  rootDir: '.',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/migrations', '<rootDir>/test'],
  testMatch: cluster ? ['**/*.cluster.spec.ts'] : ['**/*.spec.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/dist/',
    ...(console ? [] : ['<rootDir>/test/console/']),
    ...(suite === 'default' ? ['<rootDir>/test/e2e/(?!whole-path\\.)', ...integrated, ...searching] : []),
    ...(suite === 'e2e' ? ['<rootDir>/test/e2e/whole-path\\.'] : []),
    ...(cluster ? [] : ['\\.cluster\\.spec\\.ts$']),
    ...(kills ? [] : ['/killed-(brake|replicas)\\.spec\\.ts$']),
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // With the seed of `PROPERTIES_SEED`, which `.ci/run` sets.
  moduleNameMapper: { '^fast-check$': '<rootDir>/test/support/seeded-fast-check.ts' },
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: console ? '<rootDir>/test/telling-environment.js' : 'node',
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
  testSequencer: '<rootDir>/test/long-first-sequencer.js',
  reporters: ['default', '<rootDir>/test/counts-reporter.js'],
  // One more than the cores of a small machine: the long suites wait a third of their time.
  maxWorkers: 3,
  // Each suite leaves memory behind that its worker never gives back.
  workerIdleMemoryLimit: '1GB',
  // Ends what hangs; on a machine with other work, starting processes takes tens of seconds.
  testTimeout: 60_000,
};
