import { expect } from '@jest/globals';
import type { RepositoryOptions } from '#repository';
import type { FakeChanges } from '../ports/git.fake.ts';
import { MemoryBench } from './memory-bench.ts';
import { own } from './policy-yaml.ts';

export const teams: RepositoryOptions['tenants'] = [
  { name: 'shop', path: 'teams/shop', namespace: 'one' },
  { name: 'pay', path: 'teams/pay', namespace: 'one' },
];

/** Policies `<folder><index>` in a folder. */
export function many(folder: string, count: number, maximum = 10): FakeChanges {
  const name = folder.replaceAll('/', '-');
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${folder}/${index}.yaml`, own(`${name}${index}`, maximum)]),
  );
}

export const rootDefaults = (maximum: number): string =>
  `apiVersion: plimsoll.dev/v1alpha1\nkind: PolicyDefaults\nmetadata: { name: d }\nspec: { values: { maxReplicas: ${maximum} } }\n`;

export const ending = (bench: MemoryBench, end: string): number =>
  bench.bounds().filter((text) => text.endsWith(end)).length;
export const scopes = (bench: MemoryBench): readonly string[] =>
  bench.sync
    .holds()
    .map(({ scope, causes }) => {
      const who = scope.kind === 'Source' ? 'source' : `tenant ${scope.tenant}`;
      return `${who}: ${causes.map(({ code }) => code).join(', ')}`;
    })
    .sort();
export const items = (bench: MemoryBench): readonly string[] =>
  bench.sync.holds().flatMap(({ causes }) => causes.flatMap((cause) => cause.items));

export async function aBench(
  changes: FakeChanges,
  options: Partial<RepositoryOptions> = {},
): Promise<MemoryBench> {
  const bench = new MemoryBench({ namespace: 'one', ...options });
  await bench.commit(changes);
  expect(bench.last?.result).toBe('active');
  return bench;
}
