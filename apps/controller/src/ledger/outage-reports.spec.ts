import { describe, expect, it } from '@jest/globals';
import { OutageReports } from './outage-reports.ts';

describe('what is said of an outage of the database', () => {
  it.each([
    { refused: 0, end: 'the database takes entries again, and has what was decided meanwhile' },
    { refused: 1, end: 'the database takes entries again; not all that was decided meanwhile could be kept' },
  ])(
    'at its end counts what was refused in it ($refused), also where the journal went on after it',
    (row) => {
      const said: string[] = [];
      const log = (_fields: object, message: string): void => void said.push(message);
      const reports = new OutageReports({
        path: 'journal',
        clock: { now: () => '2026-11-24T00:00:00.000Z' },
        logger: { info: log, warn: log },
      });
      // Of an outage before.
      reports.refuse('JournalFull', 'full');
      reports.noteKept();
      reports.begin('a connection was reset');
      for (let each = 0; each < row.refused; each += 1) reports.refuse('JournalFull', 'full');
      reports.noteKept();
      reports.end();
      expect([said.at(-1), reports.since]).toEqual([row.end, null]);
    },
  );
});
