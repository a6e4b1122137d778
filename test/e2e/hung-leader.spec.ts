import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { findFreePort } from '../support/free-ports.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { type ControllerProcess, startControllerProcess, testToken } from './support/controller-process.ts';
import { loadEntriesOf } from './support/load-entries.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(300_000);

interface Refusal {
  readonly status: number;
  readonly code: string;
}

describe('an action that is sent on to a leader that hangs', () => {
  let server: TestPostgres;
  let world: ShopWorld;
  let url: string;
  let databases = 0;
  let replicas: ControllerProcess[] = [];
  let leader: ControllerProcess;
  let other: ControllerProcess;

  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  beforeEach(async () => {
    world = await startShopWorld();
    const metadata = { name: 'plimsoll-system' };
    world.simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
    world.repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText });
    databases += 1;
    url = await server.createDatabase(`hung_${databases}`);
    leader = await start('leader');
    await soon('it leads', () => leaderUrlOf(leader));
    other = await start('other');
    await soon('the other knows where', () => leaderUrlOf(other));
  });
  afterEach(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()));
    replicas = [];
    await world.stop();
  });
  afterAll(() => server.stop());

  async function start(name: string): Promise<ControllerProcess> {
    const folder = join(world.folder, name);
    await mkdir(folder);
    const port = await findFreePort();
    const configuration = {
      ...world.configuration,
      dataFolder: join(folder, 'data'),
      database: { url },
      listen: { port },
      coordination: { namespace: 'plimsoll-system', advertisedUrl: `http://127.0.0.1:${port}` },
    };
    const replica = await startControllerProcess(folder, configuration, { until: 'Listening' });
    replicas.push(replica);
    return replica;
  }

  async function leaderUrlOf(asked: ControllerProcess): Promise<string | undefined> {
    const known = await asked.query<{
      readonly replicas: readonly { readonly isLeader: boolean; readonly url: string | null }[];
    }>('{ replicas { isLeader url } }');
    return known.replicas.find(({ isLeader }) => isLeader)?.url ?? undefined;
  }

  const expires = new Date(Date.now() + 3_600_000).toISOString();
  const suspend = (): Promise<Response> =>
    fetch(`${other.url}/api/v1/interventions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${testToken}`,
        'content-type': 'application/json',
        'idempotency-key': 'the-same',
      },
      body: JSON.stringify({
        kind: 'Suspend',
        scope: { kind: 'Cluster' },
        direction: 'Both',
        reason: 'a test',
        expires,
      }),
    });
  const refusalOf = async (answer: Response): Promise<Refusal> => (await answer.json()) as Refusal;

  /** Asks again, by the same key, until a leader has carried it out. */
  const untilCarriedOut = (): Promise<true> =>
    soon('another replica carries it out', async () => {
      const answer = await suspend();
      if (answer.status === 201) return true;
      // Nobody leads yet, or the database waits for the session of the one that hangs.
      expect(await refusalOf(answer)).toMatchObject({ status: 503 });
      return undefined;
    });

  async function expectOneSuspension(): Promise<void> {
    const again = await suspend();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    process.kill(leader.pid, 'SIGCONT');
    await soon('the one that hung starts anew', () =>
      leader.log.filter(({ msg }) => msg === 'serving the admin API').length > 1 ? true : undefined,
    );
    const actions = (await loadEntriesOf(url)).filter(({ kind }) => kind === 'OperatorAction');
    expect(actions.map(({ payload }) => payload['action'])).toEqual(['SuspendScaling']);
  }

  it('is refused before it is sent, and is carried out once when it is asked for again', async () => {
    process.kill(leader.pid, 'SIGSTOP');
    const refused = await suspend();
    expect(await refusalOf(refused)).toMatchObject({
      status: 503,
      code: 'NoLeader',
      detail: expect.stringMatching(/^the replica that leads does not answer, .* nothing was done/),
    });
    await untilCarriedOut();
    await expectOneSuspension();
  });

  it('may have been recorded where it was sent before, and is carried out once by its key', async () => {
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query('BEGIN');
    await admin.query('LOCK TABLE action_answer');
    const asked = suspend();
    const waits = `SELECT 1 FROM pg_locks WHERE relation = 'action_answer'::regclass AND NOT granted`;
    await soon('the leader has begun', async () => (await admin.query(waits)).rowCount === 1 || undefined);
    process.kill(leader.pid, 'SIGSTOP');
    expect(await refusalOf(await asked)).toMatchObject({ status: 503, code: 'OutcomeUnknown' });
    await admin.query('ROLLBACK');
    await admin.end();
    await untilCarriedOut();
    await expectOneSuspension();
  });
});
