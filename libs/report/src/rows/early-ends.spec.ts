import { describe, expect, it } from '@jest/globals';
import { adminStream, genesisHash, type UnverifiedEntry } from '#ledger';
import { EarlyEnds } from './early-ends.ts';
import type { ReportRow } from './report-row.ts';

const time = '2027-03-01T09:00:00Z';
const frame = {
  format: 2,
  seq: 1n,
  cluster: 'test',
  time,
  previousHash: genesisHash,
  hash: genesisHash,
} as const;
const anEntry = (stream: string): UnverifiedEntry => ({
  ...{ ...frame, stream, kind: 'OperatorAction' },
  payload: { action: 'ReadReport', outcome: 'Accepted', actor: 'bo', reason: null, arguments: {} },
});
const aRow = (index: number): ReportRow => ({
  ...{ kind: 'OperatorAction', namespace: null, policy: null, team: null, actor: 'bo', after: null },
  ...{ before: null, reason: null, commit: null, exception: null, time },
  action: index === 0 ? 'SuspendScaling' : 'ReadReport',
  details: index === 0 ? '{"expires":"2027-03-01T12:00:00Z","id":"one"}' : null,
  entry: `admin#${index}`,
});

describe('rows behind one of an intervention that stands', () => {
  it('wait, but for no more than the limit', () => {
    const ends = new EarlyEnds(3);
    const given = Array.from(
      { length: 6 },
      (_, index) => ends.take(anEntry(adminStream), aRow(index)).length,
    );
    expect(given).toEqual([0, 0, 0, 0, 1, 5]);
  });

  it('wait until another stream begins', () => {
    const ends = new EarlyEnds(3);
    const given = [adminStream, adminStream, 'sync'].map((stream, index) =>
      ends.take(anEntry(stream), aRow(index)).map(({ entry }) => entry),
    );
    expect(given).toEqual([[], [], ['admin#0', 'admin#1', 'admin#2']]);
    expect(ends.rest()).toEqual([]);
  });
});
