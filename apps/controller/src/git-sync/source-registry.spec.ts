import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { Source, SyncOutcome } from '#git-sync';
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
  look.resolve({
    source: 'policies',
    result: 'active',
    commit: null,
    message: '',
    diagnostics: [],
    holds: [],
  });
  await Promise.all([asked, closing]);
  await expect(registry.sync('policies')).rejects.toMatchObject({ code: 'Closed' });
});
