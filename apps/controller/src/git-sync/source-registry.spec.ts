import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { LastSync, Source, SourceTurn, SyncOutcome } from '#git-sync';
import { FakeRevisionStore } from '#git-sync/testing';
import { SourceRegistry } from './source-registry.ts';

it('waits at its close for what is under way, and refuses what comes later', async () => {
  const look = Promise.withResolvers<SyncOutcome>();
  const source = { name: 'policies', sync: () => look.promise } as Partial<Source> as Source;
  const registry = new SourceRegistry({
    sources: [source],
    settings: [],
    store: new FakeRevisionStore(),
    active: { documentsOf: () => [] },
  });
  let isClosed = false;
  const asked = registry.sync('policies');
  const closing = registry.close().then(() => (isClosed = true));
  await setImmediate();
  expect(isClosed).toBe(false);
  look.resolve(anOutcome(''));
  await Promise.all([asked, closing]);
  await expect(registry.sync('policies')).rejects.toMatchObject({ code: 'Closed' });
});

it('tells other replicas of a look that an action made, and of no action that made none', async () => {
  const look = (time: string): LastSync => ({ time, outcome: anOutcome(time), staleSince: null });
  const acting: { lastSync: LastSync } & Partial<Source> = {
    name: 'policies',
    lastSync: look('12:00'),
    inTurn: (work) => work({} as SourceTurn),
  };
  const noted: unknown[] = [];
  const registry = new SourceRegistry({
    sources: [acting as Source],
    settings: [],
    store: new FakeRevisionStore(),
    active: { documentsOf: () => [] },
    looks: { of: () => null, note: (source, { time }) => Promise.resolve(void noted.push([source, time])) },
  });
  await registry.inTurn('policies', () => Promise.resolve());
  expect(noted).toEqual([]);
  await registry.inTurn('policies', () => Promise.resolve((acting.lastSync = look('12:01'))));
  const failing = registry.inTurn('policies', () => {
    acting.lastSync = look('12:02');
    return Promise.reject(new Error('the ledger failed'));
  });
  await expect(failing).rejects.toThrow();
  expect(noted).toEqual([
    ['policies', '12:01'],
    ['policies', '12:02'],
  ]);
});

function anOutcome(message: string): SyncOutcome {
  return { source: 'policies', result: 'active', commit: null, message, diagnostics: [], holds: [] };
}
