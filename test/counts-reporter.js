import { appendFileSync } from 'node:fs';

/** Adds how many tests a run passed, failed and left out to the file that `TEST_COUNTS` names, a line per run. */
export default class CountsReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests }) {
    const file = process.env['TEST_COUNTS'];
    if (file !== undefined) appendFileSync(file, `${numPassedTests} ${numFailedTests} ${numPendingTests}\n`);
  }
}
