import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { adminStream, LedgerWriter, syncStream } from '#ledger';
import { InMemoryLedger, takeFence } from '#ledger/testing';
import { anActivePolicy } from '#reconciliation/testing';
import type { Principal } from '../../auth/callers/principal.ts';
import { PolicyPeriods } from './policy-periods.ts';

const viewerOf = (...namespaces: string[]): Principal => ({
  name: 'viewer',
  grants: [{ role: 'viewer', namespaces }],
});
const at = (minute: number): string => new Date(Date.UTC(2026, 10, 24, 10, minute)).toISOString();
const active = anActivePolicy();
const { source } = active.origin;

interface Action {
  readonly action?: string;
  readonly minute: number;
  readonly id?: string;
  readonly given: JsonObject;
  readonly expires?: string;
  readonly actor?: string;
}

const action = ({ action: name = 'SuspendScaling', minute, id, given, ...of }: Action) =>
  ({
    stream: adminStream,
    kind: 'OperatorAction',
    time: at(minute),
    payload: {
      actor: of.actor ?? 'ann',
      action: name,
      outcome: 'Accepted',
      reason: 'a sale',
      arguments: { id: id ?? `of ${minute}`, expires: of.expires ?? at(55), direction: 'Both', ...given },
    },
  }) as const;
const sync = (minute: number, of: string) =>
  ({
    stream: syncStream,
    kind: 'SyncRun',
    time: at(minute),
    payload: { source: of, outcome: 'active', message: '', commit: null, diagnostics: [] },
  }) as const;

describe('what acted on a policy in a time', () => {
  let ledger: InMemoryLedger;
  let record: (
    ...drafts: readonly (ReturnType<typeof action> | ReturnType<typeof sync>)[]
  ) => Promise<unknown>;
  beforeEach(async () => {
    ledger = new InMemoryLedger();
    const writer = new LedgerWriter({ port: ledger, fence: await takeFence(ledger.fences), cluster: 'test' });
    record = (...drafts) => writer.append({ drafts });
  });

  const find = async (
    { from = 10, until = 40, isWhole = true }: { from?: number; until?: number; isWhole?: boolean } = {},
    caller: Principal = viewerOf('*'),
  ) => {
    const access = { isWholeVisible: () => isWhole };
    const clock = { now: () => at(59) };
    const periods = new PolicyPeriods({ ledger, access, clock });
    const found = await periods.find(caller, active, { from: at(from), until: at(until) });
    return (
      found && {
        interventions: found.interventions.map(({ standing, end }) => [
          standing.scope.kind,
          end?.time ?? null,
          end?.actor,
        ]),
        syncs: found.syncs.map(({ time }) => time),
        isComplete: found.isComplete,
      }
    );
  };

  it('are interventions of every scope that it is in, and of no other', async () => {
    await record(
      action({ minute: 11, given: { scope: 'Policy', policy: 'shop/checkout' } }),
      action({ minute: 12, given: { scope: 'Policy', policy: 'shop/other' } }),
      action({ minute: 13, given: { scope: 'Namespace', namespace: 'shop' } }),
      action({ minute: 14, given: { scope: 'Namespace', namespace: 'pay' } }),
      action({ minute: 15, given: { scope: 'Source', source } }),
      action({ minute: 16, given: { scope: 'Source', source: 'another' } }),
      action({ minute: 17, given: { scope: 'MetricSource', metricSource: 'external.metrics.k8s.io' } }),
      action({ minute: 18, given: { scope: 'MetricSource', metricSource: 'prometheus/main' } }),
      action({ minute: 19, given: { scope: 'Cluster' } }),
      action({ minute: 20, action: 'SyncNow', given: { source } }),
    );
    const kinds = (await find())?.interventions.map(([kind]) => kind);
    expect(kinds).toEqual(['Cluster', 'MetricSource', 'Source', 'Namespace', 'Policy']);
  });

  it.each([
    { name: 'ended within it', minute: 20, actor: 'bob', want: [['Cluster', at(20), 'bob']] },
    {
      name: 'expired, which was recorded later',
      minute: 34,
      actor: 'plimsoll',
      want: [['Cluster', at(30), 'plimsoll']],
    },
    {
      name: 'expired, which is not recorded yet',
      minute: 45,
      actor: 'plimsoll',
      want: [['Cluster', at(30), 'plimsoll']],
    },
  ])('one that began before it and $name has its end', async ({ minute, actor, want }) => {
    const given = { scope: 'Cluster' };
    await record(
      action({ minute: 2, id: 'one', given, expires: at(30) }),
      action({ minute, id: 'one', given, expires: at(30), action: 'EndSuspension', actor }),
    );
    expect((await find())?.interventions).toEqual(want);
    // From its end on it acts no more.
    expect((await find({ from: 35, until: 50 }))?.interventions).toEqual([]);
  });

  it('are syncs of its own source, which only those see who see all of it', async () => {
    await record(sync(5, source), sync(11, source), sync(12, 'another'), sync(13, source), sync(41, source));
    expect((await find())?.syncs).toEqual([at(13), at(11)]);
    expect((await find({ isWhole: false }))?.syncs).toEqual([]);
  });

  it('is nothing to who may not see the policy', async () => {
    expect(await find({}, viewerOf('pay'))).toBeNull();
  });

  it('says when there were more than it answers', async () => {
    const given = { scope: 'Cluster' };
    const drafts = Array.from({ length: 101 }, (_, index) =>
      action({ minute: 12, id: String(index), given, expires: at(30) }),
    );
    await record(...drafts.slice(0, 100));
    expect(await find()).toMatchObject({ isComplete: true });
    await record(...drafts.slice(100));
    const found = await find();
    expect([found?.isComplete, found?.interventions.length]).toEqual([false, 100]);
  });

  it('is refused for a time that ends before it begins, or is longer than a chart', async () => {
    await expect(find({ from: 20, until: 20 })).rejects.toMatchObject({ code: 'BadTime' });
    await expect(find({ from: -60 * 24 * 32, until: 20 })).rejects.toMatchObject({ code: 'BadTime' });
  });
});
