import { expect, it } from '@jest/globals';
import type { HpaWrite } from './audit-record.ts';
import { compareHpaWrites, type RecordedHpaWrite } from './compare-hpa-writes.ts';

const write = (verb: HpaWrite['verb'], resourceVersion: string): HpaWrite => ({
  name: 'web',
  verb,
  manager: 'plimsoll',
  uid: 'u1',
  resourceVersion,
});
const recorded = (
  verb: HpaWrite['verb'],
  outcome: RecordedHpaWrite['outcome'],
  resourceVersion: string | null = null,
): RecordedHpaWrite => ({ verb, outcome, resourceVersion });

it.each([
  {
    name: 'equal records',
    writes: [write('Create', '5'), write('Update', '9')],
    records: [recorded('Create', 'Made', '5'), recorded('Update', 'Made', '9')],
    agree: true,
  },
  {
    name: 'a write that failed',
    writes: [write('Create', '5')],
    records: [recorded('Create', 'NotMade'), recorded('Create', 'Made', '5')],
    agree: true,
  },
  {
    name: 'a write that was made, and is denied',
    writes: [write('Create', '5')],
    records: [recorded('Create', 'NotMade')],
    agree: false,
  },
  {
    name: 'a write that was made and may have been undone',
    writes: [write('Update', '5'), write('Update', '9')],
    records: [recorded('Update', 'Unknown'), recorded('Update', 'Made', '9')],
    agree: true,
  },
  {
    name: 'a write that was found again after an edit',
    writes: [write('Create', '5')],
    records: [recorded('Create', 'Made', '7')],
    agree: true,
  },
  {
    name: 'a write of another version',
    writes: [write('Create', '5')],
    records: [recorded('Create', 'Made', '4')],
    agree: false,
  },
  { name: 'a write that was not made', writes: [], records: [recorded('Update', 'Made', '4')], agree: false },
  {
    name: 'a deletion that others were quicker with',
    writes: [],
    records: [recorded('Delete', 'Made')],
    agree: true,
  },
  { name: 'a write without an intent', writes: [write('Update', '5')], records: [], agree: false },
  {
    name: 'an intent without an outcome',
    writes: [],
    records: [recorded('Create', 'Open')],
    agree: false,
  },
])('compares $name', ({ writes, records, agree }) => {
  expect(compareHpaWrites(writes, records).length === 0).toBe(agree);
});
