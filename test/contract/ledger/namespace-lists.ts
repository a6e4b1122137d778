import { expect, it } from '@jest/globals';
import type { DraftOf, EntryDraft, EntryQuery, LedgerPort, LedgerWriter } from '#ledger';
import { policyStream, timeNanoseconds } from '#ledger';
import { aDecisionDraft, anEventDraft, appended, timeAfter } from '../../support/ledger-builders.ts';

/** What lists of namespaces have of the kinds that are found by streams. */
export function describeNamespaceLists(
  ledger: () => { readonly port: LedgerPort; readonly writer: LedgerWriter },
): void {
  it.each([
    { name: 'the runs of a namespace of few streams', kind: 'DecisionRun', count: 3 },
    // More than are found one by one.
    { name: 'the runs of a namespace of many streams', kind: 'DecisionRun', count: 420 },
    { name: 'the decisions of a namespace of few streams', kind: 'Decision', count: 3 },
    { name: 'the decisions of a namespace of many streams', kind: 'Decision', count: 420 },
  ] as const)('lists $name, and no others', async ({ kind, count }) => {
    const { port, writer } = ledger();
    const drafts = ['team-a', 'team-b'].flatMap((namespace) => draftsOf(kind, namespace, count));
    appended(await writer.append({ drafts }));
    const listed = async (query: Partial<EntryQuery>): Promise<readonly string[]> => {
      const all: EntryQuery = { kinds: [kind], order: 'OldestFirst', limit: 4 };
      const page = await port.entries({ ...all, namespaces: ['team-b'], ...query });
      return page.items.map(({ entry }) => `${entry.stream.replace('policy:team-b/', '')} ${entry.kind}`);
    };
    expect(await listed({ kinds: [kind, 'ScalingEvent'] })).toEqual([
      `api-0 ${kind}`,
      'api-0 ScalingEvent',
      `api-1 ${kind}`,
      'api-1 ScalingEvent',
    ]);
    expect(await listed({ order: 'NewestFirst', limit: 2 })).toEqual([
      `api-${count - 1} ${kind}`,
      `api-${count - 2} ${kind}`,
    ]);
    expect(await listed({ from: timeNanoseconds(timeAfter(count)) ?? 0n })).toEqual([]);
  });
}

/** An entry of a kind and an event per policy, half a second after each other. */
function draftsOf(kind: 'Decision' | 'DecisionRun', namespace: string, count: number): readonly EntryDraft[] {
  return Array.from({ length: count }, (_, index) => {
    const policy = { namespace, name: `api-${index}` };
    const time = timeAfter(index);
    const draft = kind === 'Decision' ? aDecisionDraft({ policy, time }) : aRunDraft(policy, time);
    return [draft, anEventDraft({ policy }, timeAfter(index + 0.5))];
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
