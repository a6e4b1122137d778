import Sequencer from '@jest/test-sequencer';

/** Suites that start processes, servers or threads: they take seconds each, and mostly wait. */
const long =
  /\/(test\/(e2e|integration|contract|ledger-verifier|adversarial|exhaustive|bench)|apps\/controller\/(bin|src\/(checkpoints|ledger))|apps\/cli|libs\/adapter-(sql|parser))\//;

/** Runs the long suites first, so that none is left for the end, when the other workers have nothing to do. */
export default class LongFirstSequencer extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [
      ...sorted.filter(({ path }) => long.test(path)),
      ...sorted.filter(({ path }) => !long.test(path)),
    ];
  }
}
