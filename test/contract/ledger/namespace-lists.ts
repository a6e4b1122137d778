import { expect, it } from '@jest/globals';
import type { DraftOf, EntryDraft, EntryQuery, LedgerPort, LedgerWriter } from '#ledger';
import { type PolicyKey, policyStream, timeNanoseconds } from '#ledger';
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

/** Runs of policies on some days of months, in pages of any size and order. */
export function describeRunLists(
  ledger: () => { readonly port: LedgerPort; readonly writer: LedgerWriter },
): void {
  const [of, other] = [
    { namespace: 'team-a', name: 'api' },
    { namespace: 'team-a', name: 'web' },
  ];
  const hour = 3_600;
  /** Days without runs, several a day, a clock that was set back, and the same time twice. */
  const hours = [0, 1, 2, 23, 24, 25, 700, 30, 26, 701, 701, 702, 703, 1_400, 1_401, 5, 1_450, 1_451, 1_452];

  it.each(['NewestFirst', 'OldestFirst'] as const)(
    'lists the runs of policies over months, %s',
    async (order) => {
      const { port, writer } = ledger();
      for (const [index, after] of hours.entries()) {
        const policies = index % 3 === 0 ? [of, other] : [of];
        appended(
          await writer.append({
            drafts: policies.map((policy) => aRunDraft(policy, timeAfter(after * hour))),
          }),
        );
      }
      const paged = async (query: Partial<EntryQuery>, limit: number): Promise<readonly string[]> => {
        const found: string[] = [];
        let after: EntryQuery['after'];
        for (;;) {
          const cursor = after === undefined ? {} : { after };
          const page = await port.entries({ kinds: ['DecisionRun'], order, limit, ...query, ...cursor });
          found.push(...page.items.map(({ entry }) => `${entry.stream}#${entry.seq}`));
          after = page.items.at(-1)?.cursor;
          if (!page.hasMore) return found;
        }
      };
      const inOrder = (policies: readonly PolicyKey[], from = 0, until = Infinity): readonly string[] => {
        const seqs = new Map<string, number>();
        const runs = hours.flatMap((after, index) =>
          (index % 3 === 0 ? [of, other] : [of]).map((policy) => {
            const stream = policyStream(policy);
            const seq = (seqs.get(stream) ?? 0) + 1;
            seqs.set(stream, seq);
            return { after, id: `${stream}#${seq}`, stream };
          }),
        );
        const streams = new Set(policies.map(policyStream));
        const listed = runs
          .filter(({ after, stream }) => streams.has(stream) && after >= from && after < until)
          .toSorted((a, b) => a.after - b.after)
          .map(({ id }) => id);
        return order === 'OldestFirst' ? listed : listed.toReversed();
      };
      for (const limit of [1, 3, 100]) {
        expect(await paged({ stream: policyStream(of) }, limit)).toEqual(inOrder([of]));
        expect(await paged({ namespaces: ['team-a'] }, limit)).toEqual(inOrder([of, other]));
      }
      const within = { from: nanosecondsAfter(24 * hour), until: nanosecondsAfter(1_401 * hour) };
      expect(await paged({ stream: policyStream(of), ...within }, 2)).toEqual(inOrder([of], 24, 1_401));
      expect(await paged({ stream: policyStream(of), from: nanosecondsAfter(2_000 * hour) }, 2)).toEqual([]);
      expect(await paged({ stream: policyStream(of), until: nanosecondsAfter(0) }, 2)).toEqual([]);
    },
  );

  it('finds the newest run of a policy by its number', async () => {
    const { port, writer } = ledger();
    for (const after of [1, 90, 30]) {
      appended(
        await writer.append({
          drafts: [
            aRunDraft(of, timeAfter(after * hour)),
            anEventDraft({ policy: of }, timeAfter(after * hour)),
          ],
        }),
      );
    }
    const newest = await port.newestEntry({ stream: policyStream(of), kind: 'DecisionRun' });
    expect(newest).toMatchObject({ seq: 5n, time: timeAfter(30 * hour) });
    expect(await port.newestEntry({ stream: policyStream(other), kind: 'DecisionRun' })).toBeNull();
  });
}

function nanosecondsAfter(seconds: number): bigint {
  return timeNanoseconds(timeAfter(seconds)) ?? 0n;
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
