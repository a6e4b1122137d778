import { beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type Configuration, type ConfigurationErrors, configurationSchema } from '#configuration';
import { err, ok, type Result } from '#kernel';
import { ConfigurationReload, type Reconfigurable } from './configuration-reload.ts';

const started = aConfiguration({});

function aConfiguration(changes: object): Configuration {
  return configurationSchema.parse({
    cluster: { name: 'prod' },
    mode: 'Act',
    namespaces: ['shop'],
    sources: [{ name: 'policies', url: 'https://git.example.com/p.git' }],
    auth: { tokens: [{ name: 'ann', sha256: 'ab'.repeat(32) }] },
    ...changes,
  });
}

describe('a reload of the configuration', () => {
  let file: Result<Configuration, ConfigurationErrors>;
  let applied: string[];
  let logged: Readonly<Record<string, unknown>>[];
  let failures: number;
  let failure: string;
  let reload: ConfigurationReload;

  beforeEach(() => {
    file = ok(started);
    applied = [];
    logged = [];
    failures = 0;
    failure = 'the ledger is away';
    const part = (name: string): Reconfigurable => ({
      prepare: () => {
        failures -= 1;
        return failures >= 0 ? Promise.reject(new Error(failure)) : Promise.resolve();
      },
      apply: ({ mode }) => void applied.push(`${name} ${mode}`),
    });
    reload = new ConfigurationReload({
      configuration: started,
      load: () => Promise.resolve(file),
      parts: [part('first'), part('second')],
      now: () => '2026-11-22T12:00:00.000Z',
      logger: pino(
        { level: 'debug' },
        { write: (line: string) => void logged.push(JSON.parse(line) as object as Record<string, unknown>) },
      ),
    });
  });

  const counts = (): object => Object.fromEntries(reload.counts);

  it('does nothing while the file says what is in force', async () => {
    await reload.reload();
    expect([applied, logged, counts(), reload.unappliedSince]).toEqual([[], [], {}, null]);
  });

  it('has every part follow, in their order', async () => {
    file = ok(aConfiguration({ mode: 'Observe' }));
    await reload.reload();
    await reload.reload();
    expect(applied).toEqual(['first Observe', 'second Observe']);
    expect(reload.current.mode).toBe('Observe');
    expect(counts()).toEqual({ applied: 1 });
    expect(logged).toMatchObject([{ changed: ['mode'] }]);
  });

  it('has no part follow where one cannot prepare, says so once, and tries again', async () => {
    file = ok(aConfiguration({ mode: 'Observe' }));
    failures = 2;
    await reload.reload();
    expect([applied, reload.current.mode, counts()]).toEqual([[], 'Act', { failed: 1 }]);
    expect(reload.unappliedSince).toBe('2026-11-22T12:00:00.000Z');
    expect(reload.unappliedReason).toBe('it could not be applied, and is tried again: the ledger is away');
    await reload.reload();
    expect(logged).toMatchObject([{ reason: 'the ledger is away' }]);
    await reload.reload();
    expect([applied.length, reload.unappliedSince, counts()]).toEqual([2, null, { failed: 1, applied: 1 }]);
  });

  it('shows viewers the first line of why it could not be applied, and no more of it than they read', async () => {
    file = ok(aConfiguration({ mode: 'Observe' }));
    failures = 2;
    failure = `${'x'.repeat(400)}\nat /etc/plimsoll`;
    await reload.reload();
    expect(reload.unappliedReason).toMatch(/^it could not be applied, and is tried again: x+…$/);
    expect(reload.unappliedReason).toHaveLength(300);
    expect(logged).toMatchObject([{ reason: failure }]);
  });

  it('says once what is invalid, and again what is invalid otherwise', async () => {
    file = err([{ sentence: 'plimsoll.yaml:1:1: x: no such setting' }]);
    await reload.reload();
    await reload.reload();
    file = err([{ sentence: 'plimsoll.yaml:2:1: y: no such setting' }]);
    await reload.reload();
    expect(logged.map(({ problems }) => problems)).toEqual([
      ['plimsoll.yaml:1:1: x: no such setting'],
      ['plimsoll.yaml:2:1: y: no such setting'],
    ]);
    expect([applied, counts()]).toEqual([[], { invalid: 2 }]);
    file = ok(started);
    await reload.reload();
    expect([reload.unappliedSince, reload.unappliedReason]).toEqual([null, null]);
  });

  it('gives the first problem as the reason, without the value, which may be a secret in the wrong place', async () => {
    file = err([
      {
        sentence: 'plimsoll.yaml:9:7: auth.tokens.0.sha256: 64 hexadecimal digits',
        given: 'is "plm_secret"',
      },
      { sentence: 'plimsoll.yaml:10:1: x: no such setting' },
    ]);
    await reload.reload();
    expect(logged).toMatchObject([
      { problems: [expect.stringMatching(/digits \(is "plm_secret"\)$/), expect.any(String)] },
    ]);
    expect(reload.unappliedReason).toBe(
      'plimsoll.yaml:9:7: auth.tokens.0.sha256: 64 hexadecimal digits (and 1 more)',
    );
    file = ok(aConfiguration({ listen: { port: 1 } }));
    await reload.reload();
    expect(reload.unappliedReason).toBe('a restart is needed for listen.port');
  });

  it.each([
    { change: { namespaces: ['*'] }, want: ['namespaces'] },
    {
      change: { listen: { port: 1 }, database: { url: 'sqlite:other.db' } },
      want: ['database.url', 'listen.port'],
    },
    { change: { auth: { tokens: [] } }, want: ['auth.tokens'] },
    { change: { mode: 'Observe', log: { format: 'text' } }, want: ['log.format'] },
  ])('applies nothing where something needs a restart: $want', async ({ change, want }) => {
    file = ok(aConfiguration(change));
    await reload.reload();
    expect([applied, counts()]).toEqual([[], { restart_needed: 1 }]);
    expect(logged).toMatchObject([{ settings: want }]);
    expect(reload.unappliedSince).not.toBeNull();
  });
});
