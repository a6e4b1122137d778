import { describe, expect, it, jest } from '@jest/globals';
import { AdapterError } from '#kernel';
import { shardScope } from '#ledger';
import { TokenRegistry } from '../../../apps/controller/src/auth/identities/token-registry.ts';
import { Holdings } from '../../../apps/controller/src/coordination/holdings/holdings.ts';
import { Shards } from '../../../apps/controller/src/coordination/shards/shards.ts';
import { policySyncToken } from '../../../apps/controller/src/git-sync/git-sync.module.ts';
import { ledgerToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import { OutageJournal } from '../../../apps/controller/src/ledger/outage-journal.ts';
import { ReconcileLoop } from '../../../apps/controller/src/reconcile/reconcile-loop.ts';
import { DatabaseFollower } from '../../../apps/controller/src/replicas/database-follower.ts';
import type { StartStep } from '../../../apps/controller/src/start-up/start-step.ts';
import { StartUp } from '../../../apps/controller/src/start-up/start-up.ts';
import { anApplication } from './an-application.ts';
import { expectClosedInReverse, startOrder, withFailing } from './support/noted-start.ts';

jest.setTimeout(60_000);

describe('the start', () => {
  it('opens everything in its written order, and closes it in reverse', async () => {
    const { calls, led, application, startUp } = await withFailing(undefined);
    await startUp.onApplicationBootstrap();
    expect(calls).toEqual(startOrder.map((name) => `open ${name}`));
    // Nobody may act on what is not read yet.
    expect(led).toEqual(startOrder.slice(startOrder.indexOf('configuration')));
    calls.length = 0;
    await startUp.onModuleDestroy();
    await startUp.onModuleDestroy();
    expect(calls).toEqual(startOrder.toReversed().map((name) => `close ${name}`));
    await application.close();
  });

  // Each of the others is in `test/exhaustive`.
  it.each(['metrics', 'policies', 'syncs'])(
    'that fails at %s closes what was opened, in reverse, and throws',
    expectClosedInReverse,
  );

  it.each([
    { failing: 'probes', shown: [] },
    { failing: 'API tokens', shown: [] },
    { failing: 'epoch', shown: ['shown', 'hidden'] },
  ])('that fails at $failing takes the file of its token from nobody', async ({ failing, shown }) => {
    const told: string[] = [];
    const token = {
      show: () => Promise.resolve(void told.push('shown')),
      hide: () => Promise.resolve(void told.push('hidden')),
    };
    const { application, startUp } = await withFailing(failing, token);
    await expect(startUp.onApplicationBootstrap()).rejects.toThrow(`${failing} failed`);
    expect(told.filter((what, index) => told.indexOf(what) === index)).toEqual(shown);
    await application.close();
  });

  it('goes on where the database fails for a moment while the scopes are taken, before and after', async () => {
    const application = await anApplication();
    const shards = application.nest.get(Shards);
    const readLayout = shards.readLayout.bind(shards);
    let reads = 0;
    jest.spyOn(shards, 'readLayout').mockImplementation(() => {
      reads += 1;
      const cut = new AdapterError({ code: 'ConnectionFailed', message: 'cut off', retryable: true });
      // The first was while the cluster of the database was looked at.
      return reads === 2 || reads === 4 ? Promise.reject(cut) : readLayout();
    });
    await application.nest.init();
    const holdings = application.nest.get(Holdings);
    expect([holdings.role, holdings.of(shardScope(0)).epoch]).toEqual(['active', 2n]);
    expect(application.log.filter(({ msg }) => msg === 'the start waits for an answer')).toHaveLength(1);
    await application.close();
  });

  it.each([
    { of: 'its tokens are read', part: TokenRegistry, method: 'refresh' },
    { of: 'the journal of the last process is taken up', part: OutageJournal, method: 'takeUp' },
    { of: 'what was stored last is read', part: DatabaseFollower, method: 'catchUp' },
    { of: 'policies are read', part: policySyncToken, method: 'restore' },
    { of: 'policy states are read', part: ReconcileLoop, method: 'take' },
    { of: 'settings are compared', part: ledgerToken, method: 'newestEntry', asked: 'SettingsChange' },
  ] as const)('goes on where the database is cut off while $of', async ({ part, method, ...row }) => {
    const application = await anApplication();
    const cut = new AdapterError({ code: 'ConnectionFailed', message: 'cut off', retryable: true });
    const asked = 'asked' in row ? row.asked : '';
    const owner = application.nest.get<Record<string, (...given: unknown[]) => Promise<unknown>>>(part);
    const read = owner[method]!.bind(owner);
    let failures = 0;
    jest.spyOn(owner, method).mockImplementation((...given) => {
      if (failures > 0 || !JSON.stringify(given).includes(asked)) return read(...given);
      failures += 1;
      return Promise.reject(cut);
    });
    await application.nest.init();
    expect(application.nest.get(Holdings).role).toBe('active');
    expect(application.log.filter(({ msg }) => msg === 'the start waits for an answer')).toEqual([
      expect.objectContaining({ of: 'database', reason: 'cut off' }),
    ]);
    await application.close();
  });

  it('is ended while a step waits', async () => {
    const closed: string[] = [];
    const waiting: StartStep = {
      name: 'epoch',
      open: (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
      close: () => Promise.resolve(void closed.push('epoch')),
    };
    const startUp = new StartUp([waiting]);
    const started = startUp.onApplicationBootstrap();
    await Promise.all([
      expect(started).rejects.toThrow('the controller is ending'),
      startUp.onModuleDestroy(),
    ]);
    expect(closed).toEqual(['epoch']);
  });

  it('closes what is left where a step does not close in its time, and names that step', async () => {
    const closed: string[] = [];
    const hanging: StartStep = {
      name: 'passes',
      open: () => undefined,
      close: () => new Promise(() => undefined),
      closeMilliseconds: 1,
    };
    const database: StartStep = {
      name: 'database',
      open: () => undefined,
      close: () => Promise.resolve(void closed.push('database')),
    };
    const told: string[] = [];
    const reasons: string[] = [];
    const startUp = new StartUp([database, hanging], {
      onClosed: (steps) => told.push(...steps),
      onUnclosed: (given) => reasons.push(...given),
    });
    await startUp.onApplicationBootstrap();
    await startUp.onModuleDestroy();
    expect(reasons).toEqual(['passes did not close within 500 ms']);
    expect(closed).toEqual(['database']);
    expect(told.map((text) => text.replace(/\d+/, 'so many'))).toEqual([
      'passes so many ms',
      'database so many ms',
    ]);
  });

  it('throws the names of all steps that could not be closed, and why, where nobody is told', async () => {
    const broken = (name: string): StartStep => ({
      name,
      open: () => undefined,
      close: () => Promise.reject(new Error(`${name} is locked`)),
    });
    const startUp = new StartUp([broken('database'), broken('epoch')]);
    await startUp.onApplicationBootstrap();
    await expect(startUp.onModuleDestroy()).rejects.toThrow(
      'epoch could not be closed: epoch is locked; database could not be closed: database is locked',
    );
  });

  it('says why it failed, also where what was opened cannot be closed', async () => {
    const broken: StartStep = {
      name: 'cluster',
      open: () => {
        throw new Error('the API server is away');
      },
      close: () => Promise.reject(new Error('it hangs')),
    };
    const startUp = new StartUp([broken]);
    await expect(startUp.onApplicationBootstrap()).rejects.toThrow('the API server is away');
    await expect(startUp.onModuleDestroy()).rejects.toThrow('cluster could not be closed: it hangs');
  });
});
