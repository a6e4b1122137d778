import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { adminStream, type EntryOf, type EntryQuery, LedgerWriter } from '#ledger';
import { InMemoryLedger, takeFence } from '#ledger/testing';
import { aDecisionDraft, aDecisionPayload, appended } from '../../../../../test/support/ledger-builders.ts';
import { DecisionInterventions } from './decision-interventions.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 24, 10, minute)).toISOString();

interface Action {
  readonly action?: string;
  readonly minute: number;
  readonly id?: string;
  readonly given?: JsonObject;
  readonly actor?: string;
  readonly outcome?: 'Accepted' | 'Forced';
  readonly effect?: JsonObject;
}

const ofCheckout = { scope: 'Policy', policy: 'shop/checkout' };

const action = ({
  action: name = 'OverrideReplicas',
  minute,
  id = 'one',
  given = ofCheckout,
  ...of
}: Action) =>
  ({
    stream: adminStream,
    kind: 'OperatorAction',
    time: at(minute),
    payload: {
      ...{ actor: of.actor ?? 'ann', action: name, outcome: of.outcome ?? 'Accepted', reason: 'a sale' },
      arguments: { id, expires: at(40), direction: 'Both', replicas: 40, ...given },
      ...(of.effect === undefined ? {} : { effect: of.effect }),
    },
  }) as const;

const document = {
  ...{ apiVersion: 'plimsoll.dev/v1alpha1', kind: 'AutoscalingPolicy' },
  metadata: { name: 'checkout', namespace: 'shop' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
    ...{ minReplicas: 1, maxReplicas: 9 },
    metrics: [
      {
        type: 'External',
        external: { metric: { name: 'queue' }, target: { type: 'Value', value: '5' } },
      },
    ],
  },
};

describe('the interventions that stood as something was decided', () => {
  let ledger: InMemoryLedger;
  let asked: EntryQuery[];
  let decided: (minute: number) => Promise<EntryOf<'Decision'>>;
  let record: (...actions: readonly ReturnType<typeof action>[]) => Promise<unknown>;
  beforeEach(async () => {
    ledger = new InMemoryLedger();
    asked = [];
    const writer = new LedgerWriter({ port: ledger, fence: await takeFence(ledger.fences), cluster: 'test' });
    record = (...drafts) => writer.append({ drafts });
    decided = async (minute) => {
      const draft = aDecisionDraft({ time: at(minute) });
      const base = aDecisionPayload({ time: at(minute) });
      const payload = { ...base, input: { ...base.input, policy: document } };
      const [entry] = appended(await writer.append({ drafts: [{ ...draft, payload }] }));
      const read = entry === undefined ? null : await ledger.entry(entry);
      return read as EntryOf<'Decision'>;
    };
  });

  const find = (decisions: readonly EntryOf<'Decision'>[], source: string | null = 'policies', now = 50) => {
    const entries = (query: EntryQuery) => {
      asked.push(query);
      return ledger.entries(query);
    };
    const found = new DecisionInterventions({ ledger: { entries }, clock: { now: () => at(now) } });
    return Promise.all(decisions.map((decision) => found.find({ decision, source })));
  };
  const namesAt = async (minute: number, source?: string | null) => {
    const [found] = await find([await decided(minute)], source);
    return found?.map(({ standing }) => standing.id);
  };

  it('are told as they stood, with what they were forced against and how they ended since', async () => {
    await record(
      action({ minute: 5, outcome: 'Forced', effect: { against: ['guardrail bounds'] } }),
      action({ action: 'EndOverride', minute: 20, actor: 'bo' }),
    );
    const [during, before, after] = await find([await decided(10), await decided(4), await decided(20)]);
    expect(during).toMatchObject([
      {
        standing: { id: 'one', against: ['guardrail bounds'], intervention: { actor: 'ann', replicas: 40 } },
        isForced: true,
        end: { time: at(20), actor: 'bo', reason: 'a sale' },
      },
    ]);
    expect([before, after]).toEqual([[], []]);
  });

  it('have ended as they expired, also before that is recorded, and stand until then', async () => {
    await record(action({ minute: 5 }));
    const decision = await decided(10);
    const endAt = async (now: number) => (await find([decision], 'policies', now))[0]?.[0]?.end;
    expect(await endAt(30)).toBeNull();
    expect(await endAt(50)).toEqual({ time: at(40), actor: 'plimsoll', reason: null });
  });

  it('were forced also where an earlier release did not keep against what', async () => {
    await record(action({ minute: 5, outcome: 'Forced' }));
    const [[past] = []] = await find([await decided(10)]).then((all) => all.map((each) => each ?? []));
    expect([past?.isForced, past?.standing.against]).toEqual([true, undefined]);
  });

  it('are those of every scope that the policy was in then, and of no other', async () => {
    const suspend = (id: string, given: JsonObject) =>
      action({ action: 'SuspendScaling', minute: 5, id, given });
    await record(
      suspend('policy', ofCheckout),
      suspend('other policy', { scope: 'Policy', policy: 'shop/other' }),
      suspend('namespace', { scope: 'Namespace', namespace: 'shop' }),
      suspend('other namespace', { scope: 'Namespace', namespace: 'pay' }),
      suspend('source', { scope: 'Source', source: 'policies' }),
      suspend('other source', { scope: 'Source', source: 'others' }),
      suspend('metrics', { scope: 'MetricSource', metricSource: 'external.metrics.k8s.io' }),
      suspend('other metrics', { scope: 'MetricSource', metricSource: 'metrics.k8s.io' }),
      suspend('cluster', { scope: 'Cluster' }),
    );
    expect(await namesAt(10)).toEqual(['cluster', 'metrics', 'source', 'namespace', 'policy']);
    expect(await namesAt(11, null)).toEqual(['cluster', 'metrics', 'namespace', 'policy']);
  });

  it('are read once for the decisions of a policy', async () => {
    await record(action({ minute: 5 }));
    const found = await find([await decided(4), await decided(6), await decided(41)]);
    expect(found.map((each) => each?.length)).toEqual([0, 1, 0]);
    expect(asked).toHaveLength(1);
  });

  it('are not known where more was done than is looked through', async () => {
    const decision = await decided(10);
    for (let part = 0; part < 11; part += 1) {
      const some = Array.from({ length: 500 }, (_, index) => action({ minute: 5, id: `${part} ${index}` }));
      await record(...some);
    }
    expect(await find([decision])).toEqual([null]);
  });
});
