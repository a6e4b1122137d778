import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  entryId,
  fenceExpirySeconds,
  maximumPoliciesPerRead,
  type PolicyKey,
  policyStream,
  type RecordedConditions,
} from '#ledger';
import { takeFence } from '#ledger/testing';
import {
  aDecision,
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
import { cart, type LedgerContext, stream } from './ledger-context.ts';

const named = (name: string): PolicyKey => ({ namespace: 'shop', name });

/** What stands beside the entries: open intents, states and conditions of policies, interventions. */
export function describeStates(given: () => LedgerContext): void {
  let port: LedgerContext['port'];
  let fences: LedgerContext['fences'];
  let age: LedgerContext['age'];
  let writer: LedgerContext['writer'];
  let all: LedgerContext['all'];

  beforeEach(() => {
    ({ port, fences, age, writer, all } = given());
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
        contest: {
          write: { from: 4, to: 6 },
          drift: null,
          reversedAt: [timeAfter(1)],
          manager: 'helm',
          reversals: 3,
        },
        refusal: {
          direction: 'Down',
          wanted: 2,
          targetUid: 'uid-1',
          version: 'fleet 1 a.yaml',
          code: 'Forbidden',
          message: 'could not scale to 2: it is forbidden',
          since: timeAfter(0),
          refusedAt: [timeAfter(0), timeAfter(1)],
          refusals: 0,
        },
      });
      appended(await writer.append({ drafts: [], states: [aState(cart), aState(checkout)] }));
      appended(await writer.append({ drafts: [], states: [state] }));
      expect(await port.policyStates([checkout, cart])).toEqual([aState(cart), state]);
    });

    it('forgets what was pruned', async () => {
      appended(await writer.append({ drafts: [], states: [aState(cart), aState(checkout)] }));
      appended(await writer.append({ drafts: [], forget: [cart] }));
      expect(await port.policyStates([cart, checkout])).toEqual([aState(checkout)]);
      expect(await port.recordedPolicies({ limit: 10 })).toEqual([checkout]);
    });

    it('say which decision of a policy is the latest, whatever its time', async () => {
      const lastDecision = { entry: `${policyStream(checkout)}#7`, decision: aDecision() };
      const journaled = { entry: null, decision: aDecision() };
      const states = [aState(checkout, { lastDecision }), aState(named('web'), { lastDecision: journaled })];
      appended(await writer.append({ drafts: [], states: [...states, aState(cart)] }));
      const asked = [cart, named('none'), checkout, named('web')];
      expect(await port.latestDecisions(asked)).toEqual([null, null, lastDecision.entry, null]);
      expect(await port.latestDecisions([])).toEqual([]);
    });

    it('are read of the policies that are asked for, and of some at a time', async () => {
      appended(await writer.append({ drafts: [], states: [aState(cart), aState(checkout)] }));
      expect(await port.policyStates([checkout])).toEqual([aState(checkout)]);
      expect(await port.policyStates([])).toEqual([]);
      const many = Array.from({ length: maximumPoliciesPerRead }, (_, index) => named(`web-${index}`));
      appended(await writer.append({ drafts: [], states: many.map((policy) => aState(policy)) }));
      expect(await port.policyStates(many)).toHaveLength(maximumPoliciesPerRead);
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
      expect(await port.policyConditions([checkout, cart])).toEqual([
        conditionsOf(cart),
        conditionsOf(checkout),
      ]);
      expect(await port.policyConditions([checkout])).toEqual([conditionsOf(checkout)]);
      expect(await port.policyStates([cart, checkout])).toEqual([]);
    });

    it('forgets those of a policy that was pruned, and those of one that has none any more', async () => {
      const conditions = [conditionsOf(cart), conditionsOf(checkout)];
      appended(await writer.append({ drafts: [], conditions, states: [aState(checkout)] }));
      appended(await writer.append({ drafts: [], forget: [cart] }));
      expect(await port.policyConditions([cart, checkout])).toEqual([conditionsOf(checkout)]);
      const none = { policy: checkout, conditions: [] };
      appended(await writer.append({ drafts: [], conditions: [none] }));
      expect(await port.policyConditions([cart, checkout])).toEqual([]);
      expect(await port.policyStates([cart, checkout])).toEqual([aState(checkout)]);
    });

    it('name their policy among the recorded ones, as a state does, once and page by page', async () => {
      const [a, b, c] = [named('a'), named('b'), named('c')];
      appended(
        await writer.append({
          drafts: [],
          states: [aState(c), aState(a)],
          conditions: [conditionsOf(b), conditionsOf(a)],
        }),
      );
      expect(await port.recordedPolicies({ limit: 2 })).toEqual([a, b]);
      expect(await port.recordedPolicies({ limit: 2, after: policyStream(b) })).toEqual([c]);
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
}
