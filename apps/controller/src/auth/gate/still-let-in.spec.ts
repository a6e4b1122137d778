import { describe, expect, it } from '@jest/globals';
import { ProblemError } from '../../http/problem-error.ts';
import type { Principal } from '../callers/principal.ts';
import { callerNow, requireStillLetIn } from './still-let-in.ts';

const ann = (...namespaces: string[]): Principal => ({
  name: 'ann',
  grants: [{ role: 'viewer', namespaces }],
});

function goOn(callerOf: () => Promise<Principal | 'CrossOrigin' | undefined>): Promise<void> {
  const server = { requestGate: { callerOf } };
  return requireStillLetIn({ method: 'GET', headers: {}, principal: ann('shop', 'billing'), server });
}

const away = new ProblemError({ status: 503, code: 'Unavailable', detail: 'ask again' });

describe('a long answer', () => {
  it.each([
    { name: 'the caller is as it was', caller: ann('shop', 'billing') },
    { name: 'the caller may view more', caller: ann('*') },
  ])('goes on where $name', async ({ caller }) => {
    await expect(goOn(() => Promise.resolve(caller))).resolves.toBeUndefined();
  });

  it('goes on where it cannot be asked whose the token is', async () => {
    await expect(goOn(() => Promise.reject(away))).resolves.toBeUndefined();
  });

  it.each([
    { name: 'the token is revoked', caller: undefined },
    { name: 'the caller may view less', caller: ann('shop') },
  ])('ends where $name', async ({ caller }) => {
    await expect(goOn(() => Promise.resolve(caller))).rejects.toThrow('no longer valid');
  });
});

describe('what was let in', () => {
  it('stays whose it was while nobody can tell, for half a minute', async () => {
    const letIn = {};
    const askAt = (seconds: number) => callerNow(letIn, Promise.reject(away), seconds * 1_000);
    expect([await askAt(100), await askAt(129)]).toEqual(['Unanswered', 'Unanswered']);
    await expect(askAt(130)).rejects.toBe(away);
    expect(await callerNow(letIn, Promise.resolve(ann('shop')))).toEqual(ann('shop'));
    expect(await askAt(200)).toBe('Unanswered');
  });

  it('is nobody’s where the question fails otherwise', async () => {
    const bug = new Error('a bug');
    await expect(callerNow({}, Promise.reject(bug))).rejects.toBe(bug);
  });
});
