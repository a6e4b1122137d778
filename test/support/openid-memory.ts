import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

/** Where a provider keeps what it has given out, for as long as it runs. */
export function openidMemory(): AdapterFactory {
  const records = new Map<string, AdapterPayload>();
  return (model) => memoryOf(model, records);
}

function memoryOf(model: string, records: Map<string, AdapterPayload>): Adapter {
  const keyOf = (id: string): string => `${model}:${id}`;
  const find = (matches: (payload: AdapterPayload) => boolean): AdapterPayload | undefined =>
    [...records].find(([key, payload]) => key.startsWith(keyOf('')) && matches(payload))?.[1];
  const done = Promise.resolve();
  return {
    upsert: (id, payload) => {
      records.set(keyOf(id), payload);
      return done;
    },
    find: (id) => Promise.resolve(records.get(keyOf(id))),
    findByUserCode: (userCode) => Promise.resolve(find((payload) => payload.userCode === userCode)),
    findByUid: (uid) => Promise.resolve(find((payload) => payload.uid === uid)),
    consume: (id) => {
      const payload = records.get(keyOf(id));
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1_000);
      return done;
    },
    destroy: (id) => {
      records.delete(keyOf(id));
      return done;
    },
    revokeByGrantId: (grantId) => {
      for (const [key, payload] of records) if (payload.grantId === grantId) records.delete(key);
      return done;
    },
  };
}
