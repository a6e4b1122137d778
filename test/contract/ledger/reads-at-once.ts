import { expect, it } from '@jest/globals';
import {
  type DecisionQuery,
  type EntryAddress,
  entryId,
  entryKinds,
  type EntryOf,
  type EntryQuery,
  type FollowingEntries,
  type LedgerEntry,
  type LedgerPort,
  type ListedEntry,
  policyStream,
  summaryOf,
} from '#ledger';
import { checkout } from '../../support/ledger-builders.ts';

const cart = { namespace: 'shop', name: 'cart' };
const stream = policyStream(checkout);

/** What several reads at once answer, over five entries each of two policies. */
export function describeReadsAtOnce(
  given: () => { readonly port: LedgerPort; readonly seed: () => Promise<void> },
): void {
  describeFollowing(given);

  it('reads pages of several lists at once, each as it would be read alone', async () => {
    const { port, seed } = given();
    await seed();
    const page = { kinds: entryKinds, order: 'NewestFirst', limit: 2 } as const;
    const first = await port.entries({ ...page, stream });
    const queries: readonly EntryQuery[] = [
      { ...page, stream },
      { ...page, stream: policyStream(cart), kinds: ['ScalingEvent'] },
      { ...page, stream: 'policy:shop/none' },
      { ...page, stream, after: first.items[1]!.cursor, limit: 3 },
      { ...page, limit: 4 },
    ];
    const alone = await Promise.all(queries.map((query) => port.entries(query)));
    expect(await port.entryPages(queries)).toEqual(alone);
    expect(alone.map(({ items, hasMore }) => [items.length, hasMore])).toEqual([
      [2, true],
      [1, false],
      [0, false],
      [3, false],
      [4, true],
    ]);
  });

  it('leaves out at most what decisions observed, where a list wants none of it', async () => {
    const { port, seed } = given();
    await seed();
    const page = { kinds: entryKinds, order: 'NewestFirst', limit: 10 } as const;
    const whole = await port.entries(page);
    const without = await port.entries({ ...page, isWithoutObservations: true });
    expect(without.items.map(unobserved)).toEqual(whole.items.map(unobserved));
    const pages = [page, { ...page, limit: 2 }, { ...page, order: 'OldestFirst', limit: 3 }] as const;
    for (const each of pages) {
      const again = await port.entries({ ...each, isWithoutObservations: true });
      const expected = await port.entries(each);
      expect([again.hasMore, again.items.map(unobserved)]).toEqual([
        expected.hasMore,
        expected.items.map(unobserved),
      ]);
    }
    const addresses = whole.items.map(({ entry: { stream: name, seq } }) => ({ stream: name, seq }));
    const absent = Array.from({ length: 40 }, (_, seq) => ({ stream: 'policy:shop/none', seq: BigInt(seq) }));
    const expected = whole.items.map(({ entry }) => withoutObservation(entry)).toSorted(byId);
    for (const asked of [addresses, [...addresses, ...absent]]) {
      const found = await port.entriesAt(asked, { isWithoutObservations: true });
      expect(found.map(withoutObservation).toSorted(byId)).toEqual(expected);
    }
    expect(whole.items.filter(({ entry }) => entry.kind === 'Decision')).not.toEqual([]);
  });

  it('reads of decisions what their payloads say, without them', async () => {
    const { port, seed } = given();
    await seed();
    const page = { order: 'NewestFirst', limit: 3 } as const;
    const [of] = (await port.entries({ ...page, kinds: ['Decision'], stream })).items;
    const queries: readonly DecisionQuery[] = [
      page,
      { ...page, stream, limit: 1 },
      { ...page, stream: 'policy:shop/none' },
      { ...page, stream, after: of!.cursor },
      { ...page, action: 'ScaleUp', limit: 10 },
    ];
    const whole = await port.entryPages(queries.map((query) => ({ ...query, kinds: ['Decision'] })));
    const wanted = whole.map(({ items, hasMore }) => ({
      items: items.map(({ entry, cursor }) => ({ entry: summaryOf(entry as EntryOf<'Decision'>), cursor })),
      hasMore,
    }));
    expect(wanted.map(({ items }) => items.length)).toEqual([3, 1, 0, 3, 4]);
    // Twice again: what was read twice is kept.
    for (let time = 0; time < 3; time += 1) expect(await port.decisionSummaries(queries)).toEqual(wanted);
  });

  it('reads of the decisions at several addresses what their payloads say, and leaves out what is none', async () => {
    const { port, seed } = given();
    await seed();
    const whole = (await port.entries({ kinds: entryKinds, order: 'NewestFirst', limit: 10 })).items;
    const addresses = [
      ...whole.map(({ entry: { stream: name, seq } }) => ({ stream: name, seq })),
      { stream, seq: 99n },
      { stream: 'policy:shop/none', seq: 1n },
    ];
    const found = await port.decisionSummariesAt(addresses);
    const decisions = whole.flatMap(({ entry }) => (entry.kind === 'Decision' ? [entry] : []));
    expect(decisions.length).toBeLessThan(whole.length);
    expect(found.toSorted(byId)).toEqual(decisions.map(summaryOf).toSorted(byId));
  });

  it('reads entries at several addresses at once, and leaves out what is not there', async () => {
    const { port, seed } = given();
    await seed();
    const addresses = [
      { stream, seq: 2n },
      { stream: policyStream(cart), seq: 5n },
      { stream, seq: 99n },
      { stream: 'policy:shop/none', seq: 1n },
    ];
    const found = await port.entriesAt(addresses);
    const alone = await Promise.all(addresses.map((address) => port.entry(address)));
    expect(found.toSorted(byId)).toEqual(alone.filter((entry) => entry !== null).toSorted(byId));
    expect(found).toHaveLength(2);
  });
}

function describeFollowing(
  given: () => { readonly port: LedgerPort; readonly seed: () => Promise<void> },
): void {
  it('reads what follows several entries in their streams at once, of some kinds and each entry once', async () => {
    const { port, seed } = given();
    await seed();
    const read = async (query: Partial<FollowingEntries>): Promise<readonly string[]> => {
      const addresses = [
        { stream, seq: 1n },
        { stream, seq: 2n },
        { stream: policyStream(cart), seq: 2n },
        { stream: 'policy:shop/none', seq: 1n },
      ];
      const found = await port.entriesAfter({ addresses, kinds: entryKinds, within: 2, ...query });
      const whole = await port.entriesAt(found);
      expect(found.map(({ hash }) => hash).toSorted()).toEqual(whole.map(({ hash }) => hash).toSorted());
      return found.map(({ stream: name, seq, kind }) => `${name.slice(12)}${seq} ${kind}`);
    };
    const ofCart = ['cart3 ScalingEvent', 'cart4 Decision'];
    const ofCheckout = ['checkout2 Decision', 'checkout3 ScalingEvent', 'checkout4 Decision'];
    expect(await read({})).toEqual([...ofCart, ...ofCheckout]);
    expect(await read({ kinds: ['ScalingEvent', 'ScalingFailure'] })).toEqual([ofCart[0], ofCheckout[1]]);
    expect(await read({ within: 1 })).toEqual([ofCart[0], ...ofCheckout.slice(0, 2)]);
    expect(await read({ addresses: [{ stream, seq: 5n }] })).toEqual([]);
    expect(await read({ addresses: [{ stream, seq: 0n }], kinds: ['Decision'] })).toEqual([
      'checkout1 Decision',
      'checkout2 Decision',
    ]);
    expect(await read({ addresses: [] })).toEqual([]);
  });
}

function unobserved({ entry, cursor }: ListedEntry): unknown {
  return { entry: withoutObservation(entry), cursor };
}

function withoutObservation(entry: LedgerEntry): EntryAddress & { readonly payload: unknown } {
  if (entry.kind !== 'Decision') return entry;
  const input = { ...entry.payload.input, observation: null };
  return { ...entry, payload: { ...entry.payload, input } };
}

function byId(left: EntryAddress, right: EntryAddress): number {
  return entryId(left) < entryId(right) ? -1 : 1;
}
