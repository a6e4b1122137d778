import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DeferredLedgerDatabase } from '../../../apps/controller/src/database/deferred-ledger-database.ts';
import { LedgerFeed } from '../../../apps/controller/src/ledger/ledger-feed.ts';
import { followScheduleToken } from '../../../apps/controller/src/replicas/replicas.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { type AnApplication, orRefusal } from './an-application.ts';
import { ElectedReplicas } from './support/elected-replicas.ts';

jest.setTimeout(400_000);

const policyOf = (maxReplicas: number): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: web, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  minReplicas: 2
  maxReplicas: ${maxReplicas}
  metrics:
    - type: External
      external: { metric: { name: queue }, target: { type: AverageValue, averageValue: "1" } }
`;

/** By which of the two a replica learns of what another has stored: nothing arrives where the one that is left is broken. */
const ways = ['by notices alone', 'by looks alone'] as const;

describe.each(ways)('a replica that follows another %s', (way) => {
  let postgres: TestPostgres;
  let replicas: ElectedReplicas;
  let leader: AnApplication;
  let other: AnApplication;
  let looks = 0;

  beforeAll(async () => {
    postgres = await startPostgres();
    replicas = new ElectedReplicas(await postgres.createDatabase('followed'));
    leader = await replicas.add();
    leader.repository.commit('Scale the shop', { 'web.yaml': policyOf(20) });
    await leader.nest.init();
    await replicas.untilShared(16);
    other = await replicas.add({}, (testing) =>
      way === 'by notices alone'
        ? testing.overrideProvider(followScheduleToken).useValue(() => {
            looks += 1;
            return () => undefined;
          })
        : testing,
    );
    if (way === 'by looks alone') cutNotices(other);
    await other.nest.init();
    await replicas.untilShared(8, 8);
  });
  afterAll(async () => {
    await replicas.close();
    await postgres.stop();
  });

  const maximumAt = async (application: AnApplication): Promise<unknown> => {
    const { body } = await application.ask('{ policy(namespace: "shop", name: "web") { maxReplicas } }');
    return (body.data as { readonly policy: { readonly maxReplicas: number } | null }).policy?.maxReplicas;
  };
  const interventionsAt = async (application: AnApplication): Promise<number> => {
    const { body } = await application.ask('{ interventions { id } }');
    return (body.data as { readonly interventions: readonly unknown[] }).interventions.length;
  };

  it('has what is activated', async () => {
    leader.repository.commit('Scale it further', { 'web.yaml': policyOf(30) });
    expect((await leader.ask('mutation { syncNow(source: "policies") { __typename } }')).body.errors).toBe(
      undefined,
    );
    expect(await maximumAt(leader)).toBe(30);
    await soon('the activation', async () => (await maximumAt(other)) === 30 || undefined);
  });

  it('has the interventions that begin and end, and what operators do', async () => {
    const actions: unknown[] = [];
    const onEntry = ({ payload }: { readonly payload: unknown }): void => void actions.push(payload);
    const end = other.nest
      .get(LedgerFeed)
      .subscribe({ kind: 'OperatorAction', onEntry, onLost: () => undefined });
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const scope = 'scope: Policy, namespace: "shop", name: "web", direction: Down';
    const suspend = `mutation { suspendScaling(${scope}, reason: "a test", expires: "${expires}") { __typename ${orRefusal} } }`;
    expect((await leader.ask(suspend)).body).toMatchObject({
      data: { suspendScaling: { __typename: 'Intervention' } },
    });
    expect(await interventionsAt(leader)).toBe(1);
    await soon('the suspension', async () => (await interventionsAt(other)) === 1 || undefined);
    await soon('the action', () => actions.length === 1 || undefined);
    expect(actions).toMatchObject([{ action: 'SuspendScaling', reason: 'a test' }]);
    end();
  });

  it('does so for the reason that is meant', () => {
    // One that looks again and again would have asked for it each second; one that asked once has never looked again.
    if (way === 'by notices alone') expect(looks).toBe(1);
    else expect(other.log.filter(({ msg }) => msg.includes('notices'))).toEqual([]);
  });
});

/** No notice of the database arrives any more. */
function cutNotices({ nest }: AnApplication): void {
  const database = nest.get(DeferredLedgerDatabase);
  Object.defineProperty(database, 'watchChanges', {
    get: () => () => ({ close: () => Promise.resolve() }),
  });
}
