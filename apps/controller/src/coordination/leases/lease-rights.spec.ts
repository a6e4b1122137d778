import { describe, expect, it } from '@jest/globals';
import type { LeaseVerb } from '#coordination';
import { InMemoryLeases } from '#coordination/testing';
import { AdapterError } from '#kernel';
import { LeaseRights, LeaseRightsChanged } from './lease-rights.ts';

type Verb = 'list' | LeaseVerb;

class RefusedLeases extends InMemoryLeases {
  refused: Verb | null = null;
  code = 'Forbidden';
  message = 'no';

  override list(): ReturnType<InMemoryLeases['list']> {
    return this.#unless('list') ?? super.list();
  }

  override rehearse(verb: LeaseVerb, name: string): Promise<void> {
    return this.#unless(verb) ?? super.rehearse(verb, name);
  }

  #unless(verb: Verb): Promise<never> | undefined {
    if (this.refused !== verb) return undefined;
    return Promise.reject(new AdapterError({ code: this.code, message: this.message, retryable: false }));
  }
}

/** What is scheduled happens when a test says so. */
function rightsTo(leases: RefusedLeases) {
  const scheduled: (() => void)[] = [];
  const logged: string[] = [];
  const log = (_fields: object, message: string): void => void logged.push(message);
  const rights = new LeaseRights({
    leases,
    namespace: 'plimsoll-system',
    prefix: 'plimsoll',
    lookMilliseconds: 30_000,
    clock: {
      schedule: (_milliseconds, callback) => {
        scheduled.push(callback);
        return () => void scheduled.splice(scheduled.indexOf(callback), 1);
      },
    },
    logger: { info: log, debug: log },
  });
  const look = async (): Promise<void> => {
    scheduled.shift()?.();
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  };
  return { rights, look, scheduled, logged };
}

describe('the rights to Leases', () => {
  it('are there where everything that an election does is allowed, and nothing is left of the trial', async () => {
    const leases = new RefusedLeases();
    await rightsTo(leases).rights.require();
    expect(await leases.list()).toEqual([]);
  });

  it.each<Verb>(['list', 'create', 'update', 'delete'])(
    'are not without %s, which is named',
    async (verb) => {
      const leases = new RefusedLeases();
      leases.refused = verb;
      const { rights } = rightsTo(leases);
      const forbidden = `it may not ${verb} leases.coordination.k8s.io in plimsoll-system (coordination.namespace); plimsoll rbac prints what allows it`;
      await expect(rights.require()).rejects.toEqual(new LeaseRightsChanged(forbidden));
      await expect(rights.require()).rejects.toMatchObject({ forbidden });
    },
  );

  it('are not where there is no namespace for them, which is named', async () => {
    const leases = new RefusedLeases();
    Object.assign(leases, { refused: 'create', code: 'NotFound' });
    await expect(rightsTo(leases).rights.require()).rejects.toEqual(
      new LeaseRightsChanged('there is no namespace plimsoll-system (coordination.namespace)'),
    );
  });

  it('are not while the namespace is being deleted, which no Role allows', async () => {
    const leases = new RefusedLeases();
    const message =
      'POST /apis: 403 leases "x" is forbidden: unable to create new content in namespace y because it is being terminated';
    Object.assign(leases, { refused: 'create', message });
    await expect(rightsTo(leases).rights.require()).rejects.toEqual(
      new LeaseRightsChanged('the namespace plimsoll-system is being deleted (coordination.namespace)'),
    );
  });

  it('are found out without a Lease, and one that an earlier release has left is deleted', async () => {
    const leases = new RefusedLeases();
    leases.refused = 'update';
    const { rights } = rightsTo(leases);
    await expect(rights.require()).rejects.toMatchObject({ message: expect.stringContaining('update') });
    expect(await leases.list()).toEqual([]);
    await leases.create('plimsoll-trial', {
      holder: null,
      durationMilliseconds: null,
      acquireTime: null,
      renewTime: null,
      transitions: 0,
      advertisedUrl: null,
      takesShards: true,
      reachesDatabase: true,
      version: null,
      settings: null,
    });
    leases.refused = null;
    await rights.require();
    expect(await leases.list()).toEqual([]);
  });

  it('are no matter of an API server that does not answer', async () => {
    const leases = new RefusedLeases();
    leases.failure = new AdapterError({ code: 'Timeout', message: 'none', retryable: true });
    await expect(rightsTo(leases).rights.require()).rejects.toBe(leases.failure);
  });

  it('are tried again until they are given, and then no more', async () => {
    const leases = new RefusedLeases();
    leases.refused = 'create';
    const { rights, look, scheduled, logged } = rightsTo(leases);
    rights.watch();
    await look();
    expect([rights.isAllowed, scheduled.length]).toEqual([false, 1]);
    leases.refused = null;
    await look();
    await rights.whenAllowed;
    expect([rights.isAllowed, scheduled.length]).toEqual([true, 0]);
    expect(logged.at(-1)).toContain('starts anew');
  });

  it('are looked for no more once that is stopped', async () => {
    const leases = new RefusedLeases();
    leases.refused = 'create';
    const { rights, look, scheduled } = rightsTo(leases);
    rights.watch();
    const looking = look();
    rights.stop();
    await looking;
    expect([rights.isAllowed, scheduled.length]).toEqual([false, 0]);
  });
});
