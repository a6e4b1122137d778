import { expect, it } from '@jest/globals';
import type { DraftOf, EntryDraft, EntryQuery, LedgerPort, LedgerWriter } from '#ledger';
import { policyStream, timeNanoseconds } from '#ledger';
import { anEventDraft, appended, timeAfter } from '../../support/ledger-builders.ts';

/** What every implementation of `LedgerPort` does for lists of the runs of namespaces. */
export function describeNamespaceRuns(
  ledger: () => { readonly port: LedgerPort; readonly writer: LedgerWriter },
): void {
  it.each([
    { name: 'few streams', count: 3 },
    // More than are found one by one.
    { name: 'many streams', count: 420 },
  ])('lists the runs of a namespace of $name, and no others', async ({ count }) => {
    const { port, writer } = ledger();
    appended(await writer.append({ drafts: [...draftsOf('team-a', count), ...draftsOf('team-b', count)] }));
    const listed = async (query: Partial<EntryQuery>): Promise<readonly string[]> => {
      const all: EntryQuery = { kinds: ['DecisionRun'], order: 'OldestFirst', limit: 4 };
      const page = await port.entries({ ...all, namespaces: ['team-b'], ...query });
      return page.items.map(({ entry }) => `${entry.stream.replace('policy:team-b/', '')} ${entry.kind}`);
    };
    expect(await listed({ kinds: ['DecisionRun', 'ScalingEvent'] })).toEqual([
      'api-0 DecisionRun',
      'api-0 ScalingEvent',
      'api-1 DecisionRun',
      'api-1 ScalingEvent',
    ]);
    expect(await listed({ order: 'NewestFirst', limit: 2 })).toEqual([
      `api-${count - 1} DecisionRun`,
      `api-${count - 2} DecisionRun`,
    ]);
    expect(await listed({ from: timeNanoseconds(timeAfter(count)) ?? 0n })).toEqual([]);
  });
}

/** A run and an event per policy, half a second after each other. */
function draftsOf(namespace: string, count: number): readonly EntryDraft[] {
  return Array.from({ length: count }, (_, index) => {
    const policy = { namespace, name: `api-${index}` };
    return [aRunDraft(policy, timeAfter(index)), anEventDraft({ policy }, timeAfter(index + 0.5))];
  }).flat();
}

function aRunDraft(
  policy: { readonly namespace: string; readonly name: string },
  time: string,
): DraftOf<'DecisionRun'> {
  const payload = {
    policy,
    first: time,
    last: time,
    count: 60,
    action: 'None',
    desiredReplicas: 4,
    reason: '',
    metrics: [],
  } as const;
  return { stream: policyStream(policy), kind: 'DecisionRun', time, payload };
}
