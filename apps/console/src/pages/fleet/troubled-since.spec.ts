import { expect, it } from '@jest/globals';
import type { FleetRow } from './fleet-rows.ts';
import { troubledSince } from './troubled-since.ts';

const condition = (type: string, status: 'True' | 'False' | 'Unknown', minute: number) => ({
  type,
  status,
  lastTransitionTime: `2026-11-22T03:0${minute}:00Z`,
});
const row = (states: FleetRow['states']): FleetRow => ({
  id: 'policy:shop/web',
  namespace: 'shop',
  name: 'web',
  label: null,
  actuation: 'Scale',
  inForce: { minReplicas: 1, maxReplicas: 10 },
  states,
  origin: { source: 'policies' },
  status: {
    time: '2026-11-22T03:12:00Z',
    message: '',
    replicas: 2,
    statusReplicas: 2,
    ...{ evaluatedBy: 'ThisReplica' as const, shard: 0 },
    conditions: [
      condition('Ready', states.includes('Waiting') ? 'Unknown' : 'False', 1),
      condition('Contested', 'True', 2),
      condition('ScalingLimited', 'True', 3),
      condition('Conflict', 'False', 4),
      condition('Degraded', 'True', 6),
    ],
  },
  history: [],
});
const sources = [{ name: 'policies', staleSince: '2026-11-22T03:05:00Z' }];

it.each([
  { name: 'what fails', given: row(['Failing']), want: '2026-11-22T03:01:00Z' },
  { name: 'what could not be decided', given: row(['Waiting']), want: '2026-11-22T03:01:00Z' },
  {
    name: 'what is contested, which presses more than its maximum',
    given: row(['AtMaximum', 'Contested']),
    want: '2026-11-22T03:02:00Z',
  },
  {
    name: 'what is past its progress deadline, which presses more than being contested',
    given: row(['Contested', 'Overdue']),
    want: '2026-11-22T03:06:00Z',
  },
  { name: 'what is at its maximum', given: row(['AtMaximum']), want: '2026-11-22T03:03:00Z' },
  { name: 'a source that is stale', given: row(['StaleSource']), want: '2026-11-22T03:05:00Z' },
  { name: 'nothing, where the condition is another', given: row(['Conflict']), want: null },
  { name: 'nothing, where no condition states it', given: row(['Suspended']), want: null },
  { name: 'nothing, where all is well', given: row([]), want: null },
])('says since when $name', ({ given, want }) => {
  expect(troubledSince(given, sources)).toBe(want);
});
