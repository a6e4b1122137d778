import { expect, it } from '@jest/globals';
import { withRequestUnit } from './request-unit.ts';

const cpu = { name: 'cpu', type: 'Resource' };
const sidecar = { name: 'cpu', type: 'ContainerResource' };
const memory = { name: 'memory', type: 'Resource' };
const queue = { name: 'queue', type: 'External' };

it.each([
  {
    given: '83 % of 2 requested over 4 ready pods',
    metrics: [cpu],
    want: '83 % of 2 cores requested over 4 ready pods',
  },
  { given: '60 % of 600m requested', metrics: [sidecar, queue], want: '60 % of 0.6 cores requested' },
  { given: '5 % of 1 requested', metrics: [cpu, sidecar], want: '5 % of 1 core requested' },
  { given: '50 % of 1610612736 requested', metrics: [memory], want: '50 % of 1.5Gi requested' },
  { given: '50 % of 512 requested', metrics: [memory], want: '50 % of 512 bytes requested' },
  { given: '83 % of 2 requested', metrics: [cpu, memory], want: '83 % of 2 requested' },
  { given: '83 % of 2 requested', metrics: [queue], want: '83 % of 2 requested' },
  {
    given: 'the ratio 1 is within the tolerance',
    metrics: [cpu],
    want: 'the ratio 1 is within the tolerance',
  },
])('"$given" reads "$want"', ({ given, metrics, want }) => {
  expect(withRequestUnit(given, metrics)).toBe(want);
});
