import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  administrationScope,
  chainEntries,
  emptyHead,
  type EntryCursor,
  entryId,
  entryKinds,
  type EntryQuery,
  type Fence,
  fenceExpirySeconds,
  type FencePort,
  type LedgerEntry,
  type LedgerPort,
  LedgerWriter,
  type PolicyKey,
  policyStream,
  type RecordedConditions,
  sha256Hex,
  shardScope,
  sourceScope,
  verifyStream,
} from '#ledger';
import { takeFence } from '#ledger/testing';
import {
  aDecision,
  aDecisionDraft,
  anActionDraft,
  anActuationIntentDraft,
  anActuationOutcomeDraft,
  anEventDraft,
  anIntentDraft,
  appended,
  aState,
  aSuspension,
  checkout,
  timeAfter,
} from '../../support/ledger-builders.ts';
import { describeNamespaceRuns } from './namespace-runs.ts';
import { describeReadsAtOnce } from './reads-at-once.ts';

/** A ledger's ports. */
export interface EmptyLedger {
  readonly ledger: LedgerPort;
  readonly fences: FencePort;
  /** Lets so many seconds pass on the clock by which fences expire. */
  readonly age: (seconds: number) => Promise<void>;
}

/** A ledger under test. */
export interface LedgerUnderTest {
  /** A ledger without entries and fences. */
  readonly empty: () => Promise<EmptyLedger>;
  readonly end: () => Promise<void>;
}

const cart = { namespace: 'shop', name: 'cart' };
const stream = policyStream(checkout);
const nothingElse = { conditions: [], forget: [], begin: [], end: [] };

/** What every implementation of `LedgerPort` does. */
export function describeLedgerPort(name: string, { empty, end }: LedgerUnderTest): void {
  describe(`LedgerPort: ${name}`, () => {
    let port: LedgerPort;
    let fences: FencePort;
    let age: EmptyLedger['age'];
    let fence: Fence;
    let writer: LedgerWriter;

    beforeEach(async () => {
      ({ ledger: port, fences, age } = await empty());
      fence = await takeFence(fences);
      writer = new LedgerWriter({ port, fence, cluster: 'test' });
    });

    afterAll(end);

    const all = async (query: Partial<EntryQuery> = {}): Promise<readonly LedgerEntry[]> => {
      const page = await port.entries({ kinds: entryKinds, order: 'OldestFirst', limit: 1_000, ...query });
      return page.items.map(({ entry }) => entry);
    };

    describe('append', () => {
      it('numbers each stream from 1 and chains it', async () => {
        appended(await writer.append({ drafts: [aDecisionDraft(), anIntentDraft()] }));
        appended(await writer.append({ drafts: [aDecisionDraft({ policy: cart })] }));
        const entries = await port.streamEntries({ stream, after: 0n, limit: 10 });
        expect(entries.map(({ seq, kind }) => [seq, kind])).toEqual([
          [1n, 'Decision'],
          [2n, 'ScalingIntent'],
        ]);
        const heads = await port.listHeads({ limit: 10 });
        expect(heads.map((head) => [head.stream, head.seq])).toEqual([
          [policyStream(cart), 1n],
          [stream, 2n],
        ]);
        expect(verifyStream(entries, heads[1]!, sha256Hex)).toEqual({ ok: true, value: heads[1] });
      });

      it('gives a payload back as it was', async () => {
        const draft = aDecisionDraft({
          reason: 'größer\u0000 "als" \u2028 \ud83d\ude80',
          desiredReplicas: null,
        });
        appended(await writer.append({ drafts: [draft] }));
        expect((await port.entry({ stream, seq: 1n }))?.payload).toEqual(draft.payload);
      });

      it('gives decisions back that resemble each other, from one batch or many, and a writer that begins', async () => {
        const draftsOf = (from: number) =>
          [0, 1, 2].map((step) => aDecisionDraft({ time: timeAfter(from + step), desiredReplicas: step }));
        const others = draftsOf(0).map((draft) => ({ ...draft, stream: policyStream(cart) }));
        appended(await writer.append({ drafts: [...draftsOf(0), ...others] }));
        appended(await writer.append({ drafts: draftsOf(10) }));
        const another = new LedgerWriter({ port, fence, cluster: 'test' });
        appended(await another.append({ drafts: draftsOf(20) }));
        const entries = await port.streamEntries({ stream, after: 0n, limit: 10 });
        const drafts = [...draftsOf(0), ...draftsOf(10), ...draftsOf(20)];
        expect(entries.map(({ payload }) => payload)).toEqual(drafts.map(({ payload }) => payload));
        const [head] = await port.heads([stream]);
        expect(verifyStream(entries, head!, sha256Hex)).toEqual({ ok: true, value: head });
        expect(await all()).toHaveLength(12);
      });

      it('refuses a batch whose stream has moved, as a whole', async () => {
        const [first] = appended(await writer.append({ drafts: [aDecisionDraft()] }));
        const before = [emptyHead(stream)];
        const other = { ...first!, hash: '2'.repeat(64) };
        const after = [{ stream, seq: 1n, hash: other.hash }];
        const batch = { id: 'a', fences: [fence], before, after, states: [aState(cart)], ...nothingElse };
        expect(await port.append({ ...batch, entries: [other] })).toEqual({
          ok: false,
          error: { code: 'HeadMoved' },
        });
        const wrongHash = [{ stream, seq: 1n, hash: '1'.repeat(64) }];
        expect(await port.append({ ...batch, before: wrongHash, entries: [{ ...other, seq: 2n }] })).toEqual({
          ok: false,
          error: { code: 'HeadMoved' },
        });
        expect(await all()).toHaveLength(1);
        expect(await port.policyStates({ limit: 10 })).toEqual([]);
      });

      it('lets two writers of one stream go on from each other', async () => {
        const other = new LedgerWriter({ port, fence, cluster: 'test' });
        for (let round = 0; round < 3; round += 1) {
          appended(await writer.append({ drafts: [aDecisionDraft({ time: timeAfter(round) })] }));
          appended(await other.append({ drafts: [aDecisionDraft({ time: timeAfter(round) })] }));
        }
        const [head] = await port.heads([stream]);
        expect(head?.seq).toBe(6n);
        expect(verifyStream(await all(), head!, sha256Hex)).toMatchObject({ ok: true });
      });

      it('stores a batch once, however often it is appended', async () => {
        const [first] = appended(await writer.append({ drafts: [aDecisionDraft()] }));
        const head = { stream, seq: 1n, hash: first!.hash };
        const link = chainEntries({
          cluster: 'test',
          heads: new Map([[stream, head]]),
          drafts: [aDecisionDraft()],
        });
        const { entries, heads } = link.ok ? link.value : { entries: [], heads: new Map() };
        const batch = { id: 'a', fences: [fence], entries, before: [head], after: [...heads.values()] };
        const states = [aState(checkout)];
        for (let attempt = 0; attempt < 3; attempt += 1) {
          expect(await port.append({ ...batch, states, ...nothingElse })).toEqual({
            ok: true,
            value: undefined,
          });
        }
        expect(await all()).toHaveLength(2);
        const refused = { ok: false, error: { code: 'HeadMoved' } };
        expect(await port.append({ ...batch, id: 'b', states, ...nothingElse })).toEqual(refused);
        await age(fenceExpirySeconds);
        await takeFence(fences, { holder: 'successor' });
        expect(await port.append({ ...batch, states, ...nothingElse })).toMatchObject({
          error: { code: 'Fenced' },
        });
        expect(await all()).toHaveLength(2);
      });

      it('refuses an append under a fence that was taken over', async () => {
        appended(await writer.append({ drafts: [aDecisionDraft()] }));
        await age(fenceExpirySeconds);
        const later = await takeFence(fences, { holder: 'successor' });
        expect(later.epoch).toBe(fence.epoch + 1n);
        expect(await writer.append({ drafts: [aDecisionDraft()] })).toEqual({
          ok: false,
          error: { code: 'Fenced' },
        });
        const successor = new LedgerWriter({ port, fence: later, cluster: 'test' });
        appended(await successor.append({ drafts: [aDecisionDraft()] }));
        expect(await all()).toHaveLength(2);
      });

      it.each([
        { name: 'another epoch', change: { epoch: 2n } },
        { name: 'another holder', change: { holder: 'somebody' } },
        { name: 'a scope that was never taken', change: { scope: 'shard/7' } },
      ])('refuses an append under a fence of $name', async ({ change }) => {
        const forged = new LedgerWriter({ port, fence: { ...fence, ...change }, cluster: 'test' });
        const refused = { ok: false, error: { code: 'Fenced' } };
        expect(await forged.append({ drafts: [aDecisionDraft()] })).toEqual(refused);
        expect(await forged.append({ drafts: [], states: [aState(cart)] })).toEqual(refused);
        expect(await all()).toEqual([]);
        expect(await port.policyStates({ limit: 10 })).toEqual([]);
      });

      it('keeps scopes apart', async () => {
        const shard = await takeFence(fences, { scope: shardScope(3), holder: 'other' });
        appended(await writer.append({ drafts: [aDecisionDraft()] }));
        expect(shard.epoch).toBe(1n);
      });

      it('stores requests of several scopes in one batch, and refuses only those whose fence is lost', async () => {
        const sync = writer.under(await takeFence(fences, { scope: sourceScope('policies') }));
        await age(fenceExpirySeconds);
        await fences.renew([fence]);
        await takeFence(fences, { scope: sourceScope('policies'), holder: 'successor' });
        const answers = await Promise.all([
          writer.append({ drafts: [aDecisionDraft()] }),
          sync.append({ drafts: [aDecisionDraft({ policy: cart })] }),
          writer.append({ drafts: [aDecisionDraft()] }),
        ]);
        expect(answers.map(({ ok }) => ok)).toEqual([true, false, true]);
        expect((await all()).map((entry) => entry.stream)).toEqual([stream, stream]);
      });
    });

    describe('fences', () => {
      const scopes = [administrationScope, shardScope(0), sourceScope('policies')];
      const other = 'other';
      const held = { ok: false, error: { code: 'ScopeHeld' } };
      const lost = { ok: false, error: { code: 'Fenced' } };

      it('are taken all or none', async () => {
        expect(await fences.take(scopes, other)).toEqual(held);
        const rest = scopes.filter((scope) => scope !== fence.scope);
        const taken = await fences.take(rest, other);
        expect(taken).toEqual({
          ok: true,
          value: rest.map((scope) => ({ scope, epoch: 1n, holder: other })),
        });
      });

      it('are taken over once they are as old as a fence may be, and not a second before', async () => {
        await age(fenceExpirySeconds - 1);
        expect(await fences.take([fence.scope], other)).toEqual(held);
        await age(1);
        expect(await fences.take([fence.scope], other)).toEqual({
          ok: true,
          value: [{ ...fence, epoch: 2n, holder: other }],
        });
        expect(await fences.renew([fence])).toEqual(lost);
      });

      it('are kept by renewals', async () => {
        for (let round = 0; round < 3; round += 1) {
          await age(fenceExpirySeconds - 1);
          expect(await fences.renew([fence])).toEqual({ ok: true, value: undefined });
        }
        expect(await fences.take([fence.scope], other)).toEqual(held);
      });

      it('are renewed all or none', async () => {
        const second = await takeFence(fences, { scope: administrationScope });
        await age(fenceExpirySeconds);
        await takeFence(fences, { scope: administrationScope, holder: other });
        expect(await fences.renew([fence, second])).toEqual(lost);
        expect(await fences.take([fence.scope], other)).toMatchObject({ ok: true });
      });

      it('are renewed also after they have expired, as long as no other process took them over', async () => {
        await age(fenceExpirySeconds * 4);
        expect(await fences.renew([fence])).toEqual({ ok: true, value: undefined });
        appended(await writer.append({ drafts: [aDecisionDraft()] }));
      });

      it('are free at once when they are given up', async () => {
        await fences.giveUp([fence]);
        expect(await writer.append({ drafts: [aDecisionDraft()] })).toEqual(lost);
        expect(await fences.take([fence.scope], other)).toMatchObject({ ok: true, value: [{ epoch: 2n }] });
      });

      it('are not given up by a process that has lost them', async () => {
        await age(fenceExpirySeconds);
        const later = await takeFence(fences, { holder: other });
        await fences.giveUp([fence]);
        expect(await fences.renew([later])).toEqual({ ok: true, value: undefined });
      });

      it('are taken again by their own holder, whose answer may have been lost', async () => {
        expect(await fences.take([fence.scope], fence.holder)).toEqual({
          ok: true,
          value: [{ ...fence, epoch: 2n }],
        });
      });
    });

    describe('intents', () => {
      const openIntent = async (): Promise<string> => {
        const [intent] = appended(await writer.append({ drafts: [anIntentDraft()] }));
        return entryId(intent!);
      };

      it('lists an intent until its outcome is there', async () => {
        const intent = await openIntent();
        const pending = await port.pendingIntents({ limit: 10 });
        expect(pending.map(entryId)).toEqual([intent]);
        appended(await writer.append({ drafts: [anEventDraft({ intent })] }));
        expect(await port.pendingIntents({ limit: 10 })).toEqual([]);
      });

      it('allows exactly one outcome', async () => {
        const intent = await openIntent();
        appended(await writer.append({ drafts: [anEventDraft({ intent })] }));
        for (const again of [intent, `${stream}#9`, 'nonsense']) {
          expect(await writer.append({ drafts: [anEventDraft({ intent: again })] })).toEqual({
            ok: false,
            error: { code: 'IntentNotPending' },
          });
        }
        expect(await all({ kinds: ['ScalingEvent'] })).toHaveLength(1);
      });

      it('allows one open intent a policy', async () => {
        const intent = await openIntent();
        expect(await writer.append({ drafts: [anIntentDraft()] })).toEqual({
          ok: false,
          error: { code: 'IntentPending' },
        });
        appended(await writer.append({ drafts: [anEventDraft({ intent }), anIntentDraft()] }));
        expect(await port.pendingIntents({ limit: 10 })).toHaveLength(1);
      });

      it('takes the write of an HPA for one, which its own outcome ends', async () => {
        const [entry] = appended(await writer.append({ drafts: [anActuationIntentDraft()] }));
        const intent = entryId(entry!);
        expect((await port.pendingIntents({ limit: 10 })).map(entryId)).toEqual([intent]);
        expect(await writer.append({ drafts: [anIntentDraft()] })).toMatchObject({
          error: { code: 'IntentPending' },
        });
        appended(await writer.append({ drafts: [anActuationOutcomeDraft(intent), anIntentDraft()] }));
        expect((await port.pendingIntents({ limit: 10 })).map(({ kind }) => kind)).toEqual(['ScalingIntent']);
      });

      it('pages by stream', async () => {
        const names = ['c', 'a', 'b'];
        for (const name of names)
          appended(await writer.append({ drafts: [anIntentDraft({ policy: { namespace: 'shop', name } })] }));
        const page = await port.pendingIntents({ limit: 2 });
        expect(page.map((entry) => entry.stream)).toEqual(['policy:shop/a', 'policy:shop/b']);
        const rest = await port.pendingIntents({ limit: 2, after: 'policy:shop/b' });
        expect(rest.map((entry) => entry.stream)).toEqual(['policy:shop/c']);
      });
    });

    describe('policy states', () => {
      it('keeps the last state of each policy', async () => {
        const state = aState(checkout, {
          memoryIfWritten: { lastScaleTime: timeAfter(1) },
          lastDecision: { entry: `${stream}#1`, decision: aDecision() },
          strategy: {
            selectionStrategy: 'OwnerReference',
            writtenSelectionStrategy: 'OwnerReference',
            actuation: 'Scale',
            algorithm: 'Utilization',
            enabled: 'true',
            restoreReplicas: 2,
          },
          account: { uid: 'uid-1', replicas: 6, resourceVersion: '18446744073709551616' },
        });
        appended(await writer.append({ drafts: [], states: [aState(cart), aState(checkout)] }));
        appended(await writer.append({ drafts: [], states: [state] }));
        expect(await port.policyStates({ limit: 10 })).toEqual([aState(cart), state]);
      });

      it('forgets what was pruned', async () => {
        appended(await writer.append({ drafts: [], states: [aState(cart), aState(checkout)] }));
        appended(await writer.append({ drafts: [], forget: [cart] }));
        expect(await port.policyStates({ limit: 10 })).toEqual([aState(checkout)]);
      });

      it('pages by name', async () => {
        appended(await writer.append({ drafts: [], states: [aState(cart), aState(checkout)] }));
        expect(await port.policyStates({ limit: 1 })).toEqual([aState(cart)]);
        expect(await port.policyStates({ limit: 1, after: policyStream(cart) })).toEqual([aState(checkout)]);
      });
    });

    describe('policy conditions', () => {
      const conditionsOf = (policy: PolicyKey, reason = 'Unchanged'): RecordedConditions => {
        const ready = { type: 'Ready', status: 'True', reason, message: 'works' } as const;
        return { policy, conditions: [{ ...ready, lastTransitionTime: timeAfter(1) }] };
      };

      it('keeps the last of each policy, apart from its state', async () => {
        appended(await writer.append({ drafts: [], conditions: [conditionsOf(cart)] }));
        const twice = [conditionsOf(checkout, 'DryRun'), conditionsOf(checkout)];
        appended(await writer.append({ drafts: [], conditions: twice }));
        expect(await port.policyConditions({ limit: 1 })).toEqual([conditionsOf(cart)]);
        const after = policyStream(cart);
        expect(await port.policyConditions({ limit: 10, after })).toEqual([conditionsOf(checkout)]);
        expect(await port.policyStates({ limit: 10 })).toEqual([]);
      });

      it('forgets those of a policy that was pruned, and those of one that has none any more', async () => {
        const conditions = [conditionsOf(cart), conditionsOf(checkout)];
        appended(await writer.append({ drafts: [], conditions, states: [aState(checkout)] }));
        appended(await writer.append({ drafts: [], forget: [cart] }));
        expect(await port.policyConditions({ limit: 10 })).toEqual([conditionsOf(checkout)]);
        const none = { policy: checkout, conditions: [] };
        appended(await writer.append({ drafts: [], conditions: [none] }));
        expect(await port.policyConditions({ limit: 10 })).toEqual([]);
        expect(await port.policyStates({ limit: 10 })).toEqual([aState(checkout)]);
      });
    });

    describe('interventions', () => {
      const begin = (...ids: readonly string[]) =>
        writer.append({ drafts: [anActionDraft()], interventions: { begin: ids.map(aSuspension) } });
      const end = (...ids: readonly string[]) =>
        writer.append({ drafts: [anActionDraft()], interventions: { end: ids } });

      it('stand from the batch that begins them to the batch that ends them', async () => {
        appended(await begin('b', 'a'));
        expect(await port.interventions({ limit: 10 })).toEqual([aSuspension('a'), aSuspension('b')]);
        expect(await port.interventions({ limit: 1, after: 'a' })).toEqual([aSuspension('b')]);
        appended(await end('a'));
        expect(await port.interventions({ limit: 10 })).toEqual([aSuspension('b')]);
      });

      it('end once: of two that end one the second is refused as a whole', async () => {
        appended(await begin('a'));
        const answers = await Promise.all([end('a'), end('a')]);
        expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
        expect(answers).toContainEqual({ ok: false, error: { code: 'InterventionEnded' } });
        expect(await end('a', 'never')).toEqual({ ok: false, error: { code: 'InterventionEnded' } });
        expect(await all()).toHaveLength(2);
      });

      it('neither begin nor end under a fence that was taken over', async () => {
        appended(await begin('a'));
        await age(fenceExpirySeconds);
        await takeFence(fences, { holder: 'successor' });
        for (const refused of [await begin('b'), await end('a')])
          expect(refused).toEqual({ ok: false, error: { code: 'Fenced' } });
        expect(await port.interventions({ limit: 10 })).toEqual([aSuspension('a')]);
      });
    });

    describe('entries', () => {
      // Two of each second, so that pages break between entries of one time.
      const seed = async (): Promise<void> => {
        const drafts = Array.from({ length: 10 }, (_, index) => {
          const time = timeAfter(Math.floor(index / 2));
          const policy = index % 2 === 0 ? checkout : cart;
          return index === 4 || index === 5
            ? anEventDraft({ policy, to: index }, time)
            : aDecisionDraft({ policy, time, action: index < 4 ? 'ScaleUp' : 'Hold', reason: `${index}` });
        });
        appended(await writer.append({ drafts }));
      };

      const walk = async (query: EntryQuery): Promise<readonly string[]> => {
        const ids: string[] = [];
        let after: EntryCursor | undefined;
        for (let page = 0; page < 20; page += 1) {
          const found = await port.entries({ ...query, ...(after === undefined ? {} : { after }) });
          ids.push(...found.items.map(({ entry }) => `${entry.stream.slice(12)}${entry.seq}`));
          if (!found.hasMore) return ids;
          expect(found.items).toHaveLength(query.limit);
          after = found.items.at(-1)?.cursor;
        }
        throw new Error('the list never ended');
      };

      const inOrder = ['checkout1', 'cart1', 'checkout2', 'cart2', 'checkout3', 'cart3'];
      const rest = ['checkout4', 'cart4', 'checkout5', 'cart5'];
      const everything = [...inOrder, ...rest];
      const cases: readonly { name: string; given: Partial<EntryQuery>; want: readonly string[] }[] = [
        { name: 'all, oldest first', given: {}, want: everything },
        { name: 'all, newest first', given: { order: 'NewestFirst' }, want: everything.toReversed() },
        { name: 'of one stream', given: { stream }, want: everything.filter((id) => id.startsWith('ch')) },
        { name: 'of one kind', given: { kinds: ['ScalingEvent'] }, want: ['checkout3', 'cart3'] },
        { name: 'of one kind and stream', given: { kinds: ['ScalingEvent'], stream }, want: ['checkout3'] },
        { name: 'with one action', given: { action: 'ScaleUp' }, want: inOrder.slice(0, 4) },
        {
          name: 'with one action of one stream, newest first',
          given: { kinds: ['Decision'], action: 'Hold', stream, order: 'NewestFirst' },
          want: ['checkout5', 'checkout4'],
        },
        {
          name: 'from a time',
          given: { from: nanoseconds(timeAfter(3)) },
          want: rest,
        },
        { name: 'until a time', given: { until: nanoseconds(timeAfter(3)) }, want: inOrder },
        { name: 'of an unknown stream', given: { stream: 'policy:shop/none' }, want: [] },
      ];

      it.each(cases)('lists $name, a page at a time', async ({ given, want }) => {
        await seed();
        for (const limit of [1, 3, 100])
          expect(await walk({ kinds: entryKinds, order: 'OldestFirst', limit, ...given })).toEqual(want);
      });

      describe('are found by what their payload names', () => {
        const commitOf = (hash: string) => ({ author: 'Ada', subject: 's', time: timeAfter(0), hash });
        const teams = ['team-a', 'team-b', 'team-ab', 'shop'];

        beforeEach(async () => {
          const events = teams.flatMap((namespace, index) => {
            const policy = { namespace, name: 'api' };
            return [
              anEventDraft({ policy, commit: commitOf('c1') }, timeAfter(index)),
              anEventDraft({ policy, commit: index < 2 ? commitOf('c2') : null }, timeAfter(10 + index)),
              aDecisionDraft({ policy, time: timeAfter(20 + index), action: 'Hold' }),
            ];
          });
          const actions = ['ada', 'grace', 'ada'].map((actor, index) =>
            anActionDraft(actor, timeAfter(30 + index)),
          );
          appended(await writer.append({ drafts: [...events, ...actions] }));
          const late = anEventDraft({ policy: { namespace: 'team-a', name: 'api' } }, timeAfter(40));
          appended(await writer.append({ drafts: [{ ...late, stream: 'late:team-a/api' }] }));
        });

        const shown = (streamName: string): string => streamName.replace(/^(policy|late):/, '');
        const cases: readonly { name: string; given: Partial<EntryQuery>; want: readonly string[] }[] = [
          {
            name: 'namespaces, by name and by pattern',
            given: { kinds: ['ScalingEvent'], namespaces: ['shop', 'team-a*'] },
            want: [
              'team-a/api1',
              'team-ab/api1',
              'shop/api1',
              'team-a/api2',
              'team-ab/api2',
              'shop/api2',
              'team-a/api1',
            ],
          },
          {
            name: 'a namespace, of all kinds and newest first',
            given: { namespaces: ['team-b'], order: 'NewestFirst' },
            want: ['team-b/api3', 'team-b/api2', 'team-b/api1'],
          },
          { name: 'namespaces that are not there', given: { namespaces: ['team', 'x*'] }, want: [] },
          { name: 'no namespace at all', given: { namespaces: [] }, want: [] },
          { name: 'an actor', given: { actor: 'ada' }, want: ['admin1', 'admin3'] },
          {
            name: 'an actor in the namespaces of policies',
            given: { actor: 'ada', namespaces: ['*'] },
            want: [],
          },
          { name: 'an unknown actor', given: { actor: 'eve' }, want: [] },
          { name: 'a commit', given: { commit: 'c2' }, want: ['team-a/api2', 'team-b/api2'] },
          {
            name: 'a commit in namespaces',
            given: { commit: 'c2', namespaces: ['*b'] },
            want: ['team-b/api2'],
          },
          {
            name: 'a commit in a stream',
            given: { commit: 'c1', stream: 'policy:shop/api' },
            want: ['shop/api1'],
          },
          {
            name: 'an action in namespaces',
            given: { action: 'Hold', namespaces: ['*-a', 'shop'] },
            want: ['team-a/api3', 'shop/api3'],
          },
          {
            name: 'a time in namespaces',
            given: { namespaces: ['*'], until: nanoseconds(timeAfter(2)) },
            want: ['team-a/api1', 'team-b/api1'],
          },
        ];

        it.each(cases)('$name', async ({ given, want }) => {
          for (const limit of [1, 3, 100]) {
            const ids: string[] = [];
            let after: EntryCursor | undefined;
            for (let hasMore = true; hasMore;) {
              const query: EntryQuery = { kinds: entryKinds, order: 'OldestFirst', limit, ...given };
              const page = await port.entries({ ...query, ...(after === undefined ? {} : { after }) });
              ids.push(...page.items.map(({ entry }) => `${shown(entry.stream)}${entry.seq}`));
              ({ hasMore } = page);
              after = page.items.at(-1)?.cursor;
            }
            expect(ids).toEqual(want);
          }
        });
      });

      describeReadsAtOnce(() => ({ port, seed }));
      describeNamespaceRuns(() => ({ port, writer }));

      it('keeps a cursor valid while entries arrive', async () => {
        await seed();
        const first = await port.entries({ kinds: ['Decision'], order: 'NewestFirst', limit: 2 });
        appended(await writer.append({ drafts: [aDecisionDraft({ time: timeAfter(60) })] }));
        const second = await port.entries({
          kinds: ['Decision'],
          order: 'NewestFirst',
          limit: 2,
          after: first.items[1]!.cursor,
        });
        expect(second.items.map(({ entry }) => entry.seq)).toEqual([4n, 4n]);
      });

      it('orders times to the nanosecond', async () => {
        const times = [
          '2026-11-20T12:00:00.000000002Z',
          '2026-11-20T12:00:00Z',
          '2026-11-20T12:00:00.000000001Z',
        ];
        appended(await writer.append({ drafts: times.map((time) => anEventDraft({}, time)) }));
        expect((await all()).map(({ seq }) => seq)).toEqual([2n, 3n, 1n]);
      });

      it('finds the newest entry of a kind by its number, also where the clock was set back', async () => {
        const times = [timeAfter(60), timeAfter(0), timeAfter(30)];
        for (const time of times)
          appended(await writer.append({ drafts: [anEventDraft({}, time), aDecisionDraft({ time })] }));
        appended(await writer.append({ drafts: [anEventDraft({ policy: cart }, timeAfter(90))] }));
        const newest = await port.newestEntry({ stream, kind: 'ScalingEvent' });
        expect(newest).toMatchObject({ stream, seq: 5n, kind: 'ScalingEvent', time: timeAfter(30) });
        expect(await port.newestEntry({ stream, kind: 'StrategyChange' })).toBeNull();
        expect(await port.newestEntry({ stream: 'policy:shop/none', kind: 'Decision' })).toBeNull();
      });

      it('finds an entry by its address', async () => {
        await seed();
        expect(await port.entry({ stream, seq: 3n })).toMatchObject({
          stream,
          seq: 3n,
          kind: 'ScalingEvent',
        });
        expect(await port.entry({ stream, seq: 6n })).toBeNull();
      });
    });
  });
}

function nanoseconds(time: string): bigint {
  return BigInt(Date.parse(time)) * 1_000_000n;
}
