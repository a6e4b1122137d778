import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AdapterError } from '#kernel';
import type { ClockPort } from '#reconciliation';
import { TokenRegistry } from '../../../apps/controller/src/auth/identities/token-registry.ts';
import { clockToken } from '../../../apps/controller/src/configuration/configuration.module.ts';
import { Holdings } from '../../../apps/controller/src/coordination/holdings/holdings.ts';
import { Shards } from '../../../apps/controller/src/coordination/shards/shards.ts';
import { policySyncToken } from '../../../apps/controller/src/git-sync/git-sync.module.ts';
import { OutageJournal } from '../../../apps/controller/src/ledger/outage-journal.ts';
import { MetricsServer } from '../../../apps/controller/src/metrics/metrics-server.ts';
import { ReconcileLoop } from '../../../apps/controller/src/reconcile/reconcile-loop.ts';
import { StartUp } from '../../../apps/controller/src/start-up/start-up.ts';
import { soon } from '../../e2e/support/soon.ts';
import { LoopbackLink } from '../../support/loopback-link.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { type AnApplication, anApplication, type LogLine } from './an-application.ts';

jest.setTimeout(120_000);

interface Report {
  readonly ready: boolean;
  readonly degraded: readonly { readonly what: string }[];
  readonly checks: readonly { readonly name: string; readonly missing: string | null }[];
}

describe('a start whose PostgreSQL', () => {
  let postgres: TestPostgres;
  let url: string;
  let application: AnApplication | undefined;
  let folder: string;

  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase('awaited');
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-awaited-'));
  });
  afterEach(() => application?.close());
  afterAll(async () => {
    await postgres.stop();
    await rm(folder, { recursive: true });
  });

  async function starting(database: object): Promise<{ readonly ended: Promise<Error | null> }> {
    application = await anApplication({ configuration: { database } });
    const ended = application.nest.init().then(
      () => null,
      (error: unknown) => error as Error,
    );
    return { ended };
  }

  const get = async (path: string): Promise<Response> => fetch(`${application?.url() ?? ''}${path}`);
  const readyz = async (): Promise<Report & { readonly status: number }> => {
    const response = await get('/readyz');
    return { status: response.status, ...((await response.json()) as Report) };
  };
  const missing = ({ checks }: Report): string =>
    checks.find(({ name }) => name === 'database')?.missing ?? 'nothing';
  const isMissing = (reason: RegExp): Promise<true> =>
    soon('why it is not ready', async () => {
      const report = await readyz().catch(() => null);
      return report !== null && reason.test(missing(report)) ? true : undefined;
    });
  const warnings = (): readonly LogLine[] =>
    application?.log.filter(({ msg }) => msg === 'the start waits for an answer') ?? [];

  it('is not there yet waits for it, and says so to probes, Prometheus, callers and in the log', async () => {
    await postgres.crash();
    const { ended } = await starting({ url });
    await isMissing(/^PostgreSQL: connect ECONNREFUSED 127\.0\.0\.1:\d+ \(database\.url\)$/);
    expect((await get('/healthz')).status).toBe(200);
    expect(await readyz()).toMatchObject({ status: 503, ready: false, degraded: [{ what: 'ledger' }] });
    const refused = await get('/api/v1/policies');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await refused.json()).toMatchObject({ code: 'Unavailable', detail: /\/readyz says what/ });
    const metrics = await fetch(application!.nest.get(MetricsServer).url);
    expect(await metrics.text()).toContain('plimsoll_degraded{what="ledger",cluster="test"} 1');
    expect(warnings()).toEqual([
      expect.objectContaining({ of: 'database', reason: expect.stringContaining('(database.url)') }),
    ]);

    await postgres.restart();
    expect(await ended).toBeNull();
    await soon('readiness', async () => ((await readyz()).ready ? true : undefined));
    expect((await application!.ask('{ policies { edges { cursor } } }')).body.errors).toBeUndefined();
    expect(warnings()).toHaveLength(1);
    expect(application!.log.map(({ msg }) => msg)).toContain('what the start waited for has answered');
  });

  it('accepts connections and says nothing is waited for, until the process is to end', async () => {
    const link = await LoopbackLink.start(postgres.port);
    const { ended } = await starting({ url: link.urlOf(url) });
    link.hang();
    await soon('probes', () => get('/healthz').catch(() => undefined));
    expect(missing(await readyz())).not.toBe('nothing');
    application!.nest.get(StartUp).end();
    link.cut();
    expect(await ended).toMatchObject({ message: 'the controller is ending' });
    await link.close();
  });

  it.each([
    { of: 'its tokens are read', part: TokenRegistry, method: 'refresh' },
    { of: 'the scopes are taken', part: Shards, method: 'readLayout' },
    { of: 'the journal of the last process is taken up', part: OutageJournal, method: 'takeUp' },
    { of: 'policies are read', part: policySyncToken, method: 'restore' },
    { of: 'policy states are read', part: ReconcileLoop, method: 'take' },
  ] as const)(
    'is cut off for minutes while $of waits for it as long as it takes',
    async ({ part, method }) => {
      application = await anApplication({ configuration: { database: { url } } });
      const { nest } = application;
      const cut = new AdapterError({ code: 'ConnectionFailed', message: 'cut off', retryable: true });
      const owner = nest.get<Record<string, (...given: unknown[]) => Promise<unknown>>>(part);
      const clock = nest.get<ClockPort>(clockToken);
      const [read, elapsed] = [owner[method]!.bind(owner), clock.monotonicMilliseconds.bind(clock)];
      let minutes = 0;
      jest.spyOn(clock, 'monotonicMilliseconds').mockImplementation(() => elapsed() + minutes * 60_000);
      jest.spyOn(owner, method).mockImplementation((...given) => {
        if (minutes > 0) return read(...given);
        minutes = 5;
        return Promise.reject(cut);
      });
      await nest.init();
      expect(nest.get(Holdings).role).toBe('active');
      expect(warnings()).toEqual([expect.objectContaining({ of: 'database', reason: 'cut off' })]);
    },
  );

  it('refuses the password ends at once, and names the file, the setting of the user, and no secret', async () => {
    const passwordFile = join(folder, 'password');
    await writeFile(passwordFile, 'not-the-p@ssword\n');
    const { ended } = await starting({ url, passwordFile });
    const message = (await ended)?.message;
    expect(message).toBe(
      `PostgreSQL: 28P01: password authentication failed for user "plimsoll" (database.passwordFile ${passwordFile}; the user is in database.url)`,
    );
  });

  it('refuses the password of the URL ends at once, and names both settings that may hold one', async () => {
    const wrong = new URL(url);
    wrong.password = 'not-the-password';
    const { ended } = await starting({ url: wrong.href });
    expect((await ended)?.message).toMatch(
      / for user "plimsoll" \(database\.url, or database\.passwordFile\)$/,
    );
  });

  it('has no such database ends at once', async () => {
    const other = new URL(url);
    other.pathname = '/mistyped';
    const { ended } = await starting({ url: other.href });
    expect((await ended)?.message).toMatch(/database "mistyped" does not exist \(database\.url\)$/);
  });
});
