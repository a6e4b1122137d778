import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { AdapterError } from '#kernel';
import { clusterToken } from '../../../apps/controller/src/cluster/cluster.module.ts';
import { wasFencedToken } from '../../../apps/controller/src/configuration/configuration.module.ts';
import { FenceLoss } from '../../../apps/controller/src/start-up/fence-loss.ts';
import { soon } from '../../e2e/support/soon.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { aCluster, type AnApplication, anApplication, codesOf, orRefusal } from './an-application.ts';

jest.setTimeout(120_000);

interface Readiness {
  readonly ready: boolean;
  readonly role: string;
}

async function readyz(application: AnApplication): Promise<Readiness & { readonly status: number }> {
  const response = await fetch(`${application.url()}/readyz`);
  return { status: response.status, ...((await response.json()) as Readiness) };
}

const syncNow = `mutation { syncNow(source: "policies") { ${orRefusal} } }`;

describe('two processes on one database', () => {
  let postgres: TestPostgres;
  let url: string;
  let first: AnApplication;
  const started: AnApplication[] = [];

  const another = async (options: Parameters<typeof anApplication>[0] = {}): Promise<AnApplication> => {
    const made = await anApplication({ ...options, configuration: { database: { url } } });
    started.push(made);
    return made;
  };

  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase('takeover');
    first = await another();
    await first.nest.init();
  });
  afterAll(async () => {
    for (const application of started) await application.close();
    await postgres.stop();
  });

  it('a start that fails takes nothing from the one that works', async () => {
    const unreachable = { ...aCluster() };
    const broken = await another({
      override: (testing) =>
        testing.overrideProvider(clusterToken).useValue({
          ...unreachable,
          kubernetes: {
            ...unreachable.kubernetes,
            whenSynced: () => Promise.reject(new Error('the API server does not answer')),
          },
        }),
    });
    await expect(broken.nest.init()).rejects.toThrow('the API server does not answer');
    expect(codesOf(await first.ask(syncNow))).toEqual([]);
    expect(await readyz(first)).toMatchObject({ role: 'active' });
  });

  it('a start on another cluster is refused, and takes nothing from the one that works', async () => {
    const cluster = aCluster();
    const kubernetes = { ...cluster.kubernetes, clusterUid: () => Promise.resolve('another-cluster') };
    const elsewhere = await another({
      override: (testing) => testing.overrideProvider(clusterToken).useValue({ ...cluster, kubernetes }),
    });
    await expect(elsewhere.nest.init()).rejects.toMatchObject({
      code: 'DatabaseOfAnotherCluster',
      message: expect.stringMatching(
        /"test" \(the-cluster\).*"test" \(another-cluster\).*movedFrom: the-cluster/,
      ),
    });
    expect(codesOf(await first.ask(syncNow))).toEqual([]);
    const recorded = await first.ask(
      '{ auditEntries(first: 10, where: {kinds: [SettingsChange]}) { edges { node { ... on SettingsChange { after } } } } }',
    );
    expect(JSON.stringify(recorded.body.data)).toContain('the-cluster');
  });

  it.each([
    { wasFenced: true, answer: 'waits for an API server that does not answer at first' },
    { wasFenced: false, answer: 'fails where it does not answer' },
  ])('a start after a loss ($wasFenced) $answer', async ({ wasFenced }) => {
    const cluster = aCluster();
    const silent = new AdapterError({ code: 'Timeout', message: 'not listed', retryable: true });
    const answers = [silent, silent];
    const whenSynced = (): Promise<void> => {
      const failure = answers.pop();
      return failure === undefined ? Promise.resolve() : Promise.reject(failure);
    };
    const application = await anApplication({
      override: (testing) =>
        testing
          .overrideProvider(clusterToken)
          .useValue({ ...cluster, kubernetes: { ...cluster.kubernetes, whenSynced } })
          .overrideProvider(wasFencedToken)
          .useValue(wasFenced),
    });
    started.push(application);
    const failed = await application.nest.init().then(
      () => null,
      (error: unknown) => error,
    );
    expect([failed, answers.length]).toEqual(wasFenced ? [null, 0] : [silent, 1]);
  });

  it('the second is ready as a standby, answers, refuses actions, and goes on when the first ends', async () => {
    const second = await another();
    const active = second.nest.init();
    const standby = await soon('the standby', async () => {
      const answer = await Promise.resolve()
        .then(() => readyz(second))
        .catch(() => undefined);
      return answer?.ready === true ? answer : undefined;
    });
    expect(standby).toMatchObject({ status: 200, ready: true, role: 'standby' });
    const refused = await second.ask(syncNow);
    expect(codesOf(refused)).toEqual(['NotActive']);
    expect((await second.ask('{ policies { pageInfo { hasNextPage } } }')).body.errors).toBeUndefined();
    await first.close();
    await active;
    await soon('readiness', async () => ((await readyz(second)).ready ? true : undefined));
    expect(await readyz(second)).toMatchObject({ status: 200, role: 'active' });
    expect(codesOf(await second.ask(syncNow))).toEqual([]);
  });

  it('one that is taken over from says so, writes no more, and reports it', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("UPDATE ledger_epoch SET epoch = epoch + 1, holder = 'another'");
    await client.end();
    const second = started.at(-1)!;
    await second.nest.get(FenceLoss).whenLost;
    expect(await readyz(second)).toMatchObject({ status: 200, role: 'fenced' });
    const refused = await second.ask(syncNow);
    expect(codesOf(refused)).toEqual(['NotActive']);
  });
});
