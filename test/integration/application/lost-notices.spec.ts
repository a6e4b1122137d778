import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { LiveEvents } from '../../../apps/controller/src/admin/history/live-events.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aSubscriber, type GraphqlSubscriber } from '../../support/graphql-subscriber.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { type AnApplication, orRefusal } from './an-application.ts';
import { ElectedReplicas } from './support/elected-replicas.ts';

jest.setTimeout(400_000);

const count = 40;

/** What a connection for notices has asked last: to listen, or whether the server is still there. */
const listens = `datname = 'notices' AND (query LIKE 'LISTEN%' OR query = 'SELECT 1')`;

describe(`a replica with ${count} subscriptions whose connection for notices is ended`, () => {
  let postgres: TestPostgres;
  let administrator: pg.Pool;
  let replicas: ElectedReplicas;
  let leader: AnApplication;
  let other: AnApplication;
  const subscribers: GraphqlSubscriber[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    const url = await postgres.createDatabase('notices');
    administrator = new pg.Pool({ connectionString: url, max: 1 });
    replicas = new ElectedReplicas(url);
    leader = await replicas.add();
    await leader.nest.init();
    await replicas.untilShared(16);
    other = await replicas.add({
      listen: { port: 0, metricsPort: 0, subscribers: { perCaller: count, total: count } },
    });
    await other.nest.init();
    await replicas.untilShared(8, 8);
    await subscribeAll();
  });
  afterAll(async () => {
    for (const each of subscribers) each.close();
    await administrator.end();
    await replicas.close();
    await postgres.stop();
  });

  const subscribeAll = async (): Promise<void> => {
    let listening = 0;
    const events = other.nest.get(LiveEvents);
    const watchEntries = events.watchEntries.bind(events);
    jest.spyOn(events, 'watchEntries').mockImplementation((subscriber, kind, filter) => {
      listening += 1;
      return watchEntries(subscriber, kind, filter);
    });
    const authorization = `Bearer ${other.tokens.admin}`;
    for (let index = 0; index < count; index += 1) {
      const subscriber = await aSubscriber(other.url(), { authorization });
      subscribers.push(subscriber);
      await subscriber.initialise();
      subscriber.subscribe('1', 'subscription { actions { reason } }');
    }
    await soon('all of them listen', () => listening === count || undefined);
  };
  /** Ends the connections that listen, and no other. @returns how many there were */
  const endListening = async (): Promise<number> => {
    const { rowCount } = await administrator.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${listens}`,
    );
    return rowCount ?? 0;
  };
  const act = async (reason: string): Promise<void> => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const scope = `scope: Namespace, namespace: "${reason}", direction: Down`;
    const { body } = await leader.ask(
      `mutation { suspendScaling(${scope}, reason: "${reason}", expires: "${expires}") { __typename ${orRefusal} } }`,
    );
    expect(body).toMatchObject({ data: { suspendScaling: { __typename: 'Intervention' } } });
  };
  const told = (reasons: readonly string[]): Promise<true> =>
    soon(
      `all hear of ${reasons.join(' and ')}`,
      () => subscribers.every((each) => each.results('1').length >= reasons.length) || undefined,
    );
  const heard = (): readonly unknown[] => [
    ...new Set(subscribers.map((each) => JSON.stringify(each.results('1')))),
  ];
  const resultsOf = (...reasons: readonly string[]): string =>
    JSON.stringify(reasons.map((reason) => ({ data: { actions: { reason } } })));
  const says = (message: string): boolean => other.log.some(({ msg }) => msg === message);

  it('tells all of them of each action once while none arrives, and listens again', async () => {
    const state = { isAway: true };
    expect(await endListening()).toBe(2);
    const ending = (async () => {
      while (state.isAway) {
        await endListening();
        await delay(10);
      }
    })();
    await soon(
      'it is noticed',
      () => says('the database sends no notices; changes are looked for each second') || undefined,
    );
    await act('meanwhile');
    await told(['meanwhile']);
    expect(heard()).toEqual([resultsOf('meanwhile')]);
    state.isAway = false;
    await ending;
    await soon('the return', () => says('the database sends notices again') || undefined);
    await soon('both listen', async () => {
      const { rows } = await administrator.query<{ readonly count: string }>(
        `SELECT count(*) FROM pg_stat_activity WHERE ${listens}`,
      );
      return rows[0]?.count === '2' || undefined;
    });
    await act('afterwards');
    await told(['meanwhile', 'afterwards']);
    expect(heard()).toEqual([resultsOf('meanwhile', 'afterwards')]);
    expect(subscribers.filter((each) => each.closed() !== undefined)).toEqual([]);
  });
});
