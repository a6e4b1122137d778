import { expect, it } from '@jest/globals';
import { compareRecords, type RecordedChange, type UnmadeWrite } from './compare-records.ts';
import type { ReplicaWrite } from './replica-record.ts';

const write = (from: number, to: number, manager: string): ReplicaWrite => ({
  workload: 'web',
  manager,
  from,
  to,
  time: '2026-11-22T10:00:00.000Z',
});
const event = (
  from: number,
  to: number,
  {
    manager = 'helm',
    unmade = [],
  }: { readonly manager?: string | null; readonly unmade?: readonly UnmadeWrite[] } = {},
): RecordedChange => ({
  workload: 'web',
  origin: manager === 'plimsoll' ? 'Plimsoll' : 'External',
  manager,
  from,
  to,
  unmade,
});

it.each([
  {
    name: 'equal records',
    writes: [write(4, 6, 'helm'), write(6, 5, 'plimsoll')],
    events: [event(4, 6), event(6, 5, { manager: 'plimsoll' })],
    agree: true,
  },
  {
    name: 'changes of others in one',
    writes: [write(4, 6, 'kubectl'), write(6, 9, 'helm')],
    events: [event(4, 9)],
    agree: true,
  },
  {
    name: 'a write of ours in a change of others',
    writes: [write(37, 30, 'plimsoll'), write(30, 35, 'helm')],
    events: [event(37, 35)],
    agree: false,
  },
  {
    name: 'a write of ours that the ledger calls undone unseen',
    writes: [write(37, 30, 'plimsoll'), write(30, 35, 'helm')],
    events: [event(37, 35, { unmade: [{ from: 37, to: 30 }] })],
    agree: true,
  },
  {
    name: 'a change back and forth that was not',
    writes: [write(6, 10, 'plimsoll')],
    events: [event(6, 10, { manager: 'plimsoll' }), event(10, 6, { manager: null })],
    agree: false,
  },
  { name: 'a write without an event', writes: [write(4, 6, 'plimsoll')], events: [], agree: false },
])('compares $name', ({ writes, events, agree }) => {
  expect(compareRecords(writes, events).differences.length === 0).toBe(agree);
});
