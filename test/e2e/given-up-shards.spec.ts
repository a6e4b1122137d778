import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { defaultShardCount } from '#coordination';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { BrakeFleet } from './support/brake-fleet.ts';
import type { ControllerProcess } from './support/controller-process.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

const terms = { leaseDurationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2 };

let server: TestPostgres;
let fleet: BrakeFleet;

beforeAll(async () => {
  server = await startPostgres();
  const options = { policiesPerShard: 12, policy: (text: string) => text, replicas: ['only'], terms };
  fleet = await BrakeFleet.start(server, 'given', options);
}, 120_000);
afterAll(async () => {
  await fleet.stop();
  await server.stop();
});

/** How many passes a process has made. */
async function passesOf({ log }: ControllerProcess): Promise<number> {
  const url = log.findLast(({ metricsUrl }) => metricsUrl !== undefined)?.['metricsUrl'];
  const text = await (await fetch(String(url))).text();
  const counts = [...text.matchAll(/^plimsoll_reconciliations_total\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Of the Leases of shards. */
const holders = (): readonly unknown[] =>
  fleet.world.simulator.objects
    .list({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'plimsoll-system' })
    .filter(({ metadata }) => metadata.name.startsWith('plimsoll-shard-'))
    .map(({ spec }) => (spec as { readonly holderIdentity?: string }).holderIdentity ?? null);

// Two seconds are budgeted for it (docs/scale.md): what a machine takes for a transaction is left to the bench.
it('the only replica gives all shards away when it is asked to end, and seals its runs in no more transactions than there are shards', async () => {
  const { leader, names } = fleet;
  await soon('runs', async () => (await passesOf(leader)) >= 4 * names.length || undefined);
  expect(holders()).toEqual(Array.from({ length: defaultShardCount }, () => expect.any(String)));
  const next = await fleet.count('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS count');
  expect(await leader.stop()).toBe(0);
  const runs = "FROM ledger_entry WHERE kind = 'DecisionRun'";
  expect(await fleet.count(`SELECT count(DISTINCT stream_id) AS count ${runs}`)).toBe(names.length);
  const transactions = await fleet.count(`SELECT count(DISTINCT xmin::text) AS count ${runs}`);
  expect(transactions).toBeLessThanOrEqual(defaultShardCount);
  const later = `FROM policy_state WHERE xmin::text::bigint >= ${next}`;
  expect(await fleet.count(`SELECT count(*) AS count ${later}`)).toBe(names.length);
  expect(await fleet.count(`SELECT count(DISTINCT xmin::text) AS count ${later}`)).toBe(transactions);
  expect(holders()).toEqual(Array.from({ length: defaultShardCount }, () => null));
  const held = "FROM ledger_epoch WHERE scope LIKE 'shard/%' AND holder IS NOT NULL";
  expect(await fleet.count(`SELECT count(*) AS count ${held}`)).toBe(0);
});
