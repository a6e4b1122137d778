import { expect, it } from '@jest/globals';
import type { ControllerMode } from '#reconciliation';
import { PolicyModes } from './policy-modes.ts';

it('says of each policy the mode of the replica that decides it, and its own where that is not known', () => {
  const said = new Map<number, ControllerMode | null>([
    [1, 'Observe'],
    [2, 'Act'],
    [3, null],
  ]);
  const asked: number[] = [];
  const modeOf = (mode: ControllerMode) =>
    new PolicyModes({
      controller: { mode },
      leadership: {
        modeOfHolder: (shard) => {
          asked.push(shard);
          return said.get(shard) ?? null;
        },
      },
      shards: { holds: ({ name }) => name === '0', shardOf: ({ name }) => Number(name) },
    }).now();
  const modes = (mode: ControllerMode) =>
    ['0', '1', '2', '3', '1'].map((name) => modeOfEach(mode)({ namespace: 'shop', name }));
  const [act, observe] = [modeOf('Act'), modeOf('Observe')];
  const modeOfEach = (mode: ControllerMode) => (mode === 'Act' ? act : observe);
  expect(modes('Act')).toEqual(['Act', 'Observe', 'Act', 'Act', 'Observe']);
  expect(modes('Observe')).toEqual(['Observe', 'Observe', 'Act', 'Observe', 'Observe']);
  // Who holds a shard is looked up once.
  expect(asked).toEqual([1, 2, 3, 1, 2, 3]);
});
