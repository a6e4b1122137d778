import { describe, expect, it } from '@jest/globals';
import type { BoundCluster } from '#adapter-sql';
import { AdapterError } from '#kernel';
import { requireDatabaseOfCluster } from './database-cluster.ts';

const prod = { uid: 'a1', name: 'prod' };

interface Given {
  /** Null: the database is of none yet. */
  readonly bound: BoundCluster | null;
  readonly uid?: string | AdapterError;
  readonly movedFrom?: string;
  readonly isInUse?: boolean;
}

/** Starts a controller that is configured for `staging` on a cluster of that uid. */
async function start({ bound, uid = 'b2', movedFrom, isInUse = false }: Given) {
  const said: string[] = [];
  let now = bound;
  const note = (_fields: object, message: string): void => void said.push(message);
  const error = await requireDatabaseOfCluster({
    cluster: { name: 'staging', ...(movedFrom === undefined ? {} : { movedFrom }) },
    binding: {
      bind: (cluster) => Promise.resolve((now ??= cluster)),
      move: (_from, to) => {
        if (!isInUse) now = to;
        return Promise.resolve(!isInUse);
      },
    },
    clusterUid: () => (typeof uid === 'string' ? Promise.resolve(uid) : Promise.reject(uid)),
    logger: { info: note, warn: note },
  }).then(
    () => null,
    (reason: unknown) => reason as AdapterError,
  );
  return { now, said, error };
}

describe('a start on a database', () => {
  it('of no cluster makes it that of its own, and one of its own goes on, whatever it is called', async () => {
    expect(await start({ bound: null })).toEqual({
      now: { uid: 'b2', name: 'staging' },
      said: [],
      error: null,
    });
    expect(await start({ bound: prod, uid: 'a1' })).toEqual({ now: prod, said: [], error: null });
  });

  it('of another cluster ends, and names both, the settings and the cure', async () => {
    const { now, error } = await start({ bound: prod });
    expect(now).toEqual(prod);
    expect(error).toMatchObject({ code: 'DatabaseOfAnotherCluster', retryable: false });
    for (const part of [
      '"prod" (a1)',
      '"staging" (b2)',
      'database.url',
      'cluster.kubeconfig',
      'cluster.movedFrom: a1',
    ])
      expect(error?.message).toContain(part);
  });

  it('takes it from the cluster that it has moved from, and from no other', async () => {
    expect(await start({ bound: prod, movedFrom: 'a1' })).toEqual({
      now: { uid: 'b2', name: 'staging' },
      said: ['the database is of this cluster from now on'],
      error: null,
    });
    const other = await start({ bound: prod, movedFrom: 'c3' });
    expect(other).toMatchObject({ now: prod, error: { code: 'DatabaseOfAnotherCluster' } });
  });

  it('waits while a process of the cluster that it has moved from still works', async () => {
    const { now, error } = await start({ bound: prod, movedFrom: 'a1', isInUse: true });
    expect(now).toEqual(prod);
    expect(error).toMatchObject({ code: 'ClusterInUse', retryable: true });
    expect(error?.message).toMatch(/^cluster\.movedFrom: a process of the cluster "prod" \(a1\) still works/);
  });

  it('goes on where it may not look which cluster it is on, and says so; a failure that may pass is no answer', async () => {
    const forbidden = new AdapterError({
      code: 'Forbidden',
      message: 'cannot get namespaces',
      retryable: false,
    });
    expect(await start({ bound: prod, uid: forbidden })).toEqual({
      now: prod,
      said: ['whether the database is of this cluster is not known'],
      error: null,
    });
    const silent = new AdapterError({ code: 'Timeout', message: 'no answer', retryable: true });
    expect(await start({ bound: prod, uid: silent })).toMatchObject({ error: silent, said: [] });
  });
});
