import { expect, it } from '@jest/globals';
import { grantEverywhere } from '../../auth/callers/principal.ts';
import { QueryError, type QueryErrorCode } from '../requests/query-error.ts';
import { ActionGate, type ActionGatePorts, givenReasonOf } from './action-gate.ts';

const anAction = {
  name: 'ChangeShardCount',
  principal: { name: 'ann', grants: grantEverywhere('admin') },
  arguments: {},
  reason: 'more replicas',
  check: () => undefined,
} as const;

const outage = { since: '2026-11-27T03:00:00.000Z', message: 'connect ECONNREFUSED 10.0.0.1:443' };

it.each<{
  readonly name: string;
  readonly role: ActionGatePorts['fences']['role'];
  readonly outage: typeof outage | null;
  readonly want: string;
}>([
  {
    name: 'has not reached its cluster since when and why, and names no other process',
    role: 'standby',
    outage,
    want: 'this process carries nothing out, since it has not reached its cluster since 2026-11-27T03:00:00.000Z: connect ECONNREFUSED 10.0.0.1:443',
  },
  {
    name: 'begins or waits for another one',
    role: 'standby',
    outage: null,
    want: 'this process is standby: it begins, or another one carries policies out; ask again in a moment',
  },
  {
    name: 'was taken over',
    role: 'fenced',
    outage: null,
    want: 'another process has taken over from this one, and carries policies out',
  },
  {
    name: 'reads what is stored',
    role: 'active',
    outage: null,
    want: 'this process begins, and has not read what is stored: ask again in a moment',
  },
])('refuses actions while the process $name', async ({ role, outage: found, want }) => {
  const gate = new ActionGate({
    fences: { role, isLeader: false },
    outage: { find: () => found },
    refusals: { record: () => Promise.resolve() },
  });
  await expect(gate.admit(anAction)).rejects.toMatchObject({ code: 'NotActive', message: want });
});

it.each<{ readonly code: QueryErrorCode; readonly recorded: readonly string[] }>([
  { code: 'ApproverRequired', recorded: ['no'] },
  { code: 'StaleConfirmation', recorded: ['no'] },
  // Its first step asks for what is to be confirmed.
  { code: 'ConfirmationRequired', recorded: [] },
])('records of refusals what is one: $code', async ({ code, recorded }) => {
  const reasons: string[] = [];
  const gate = new ActionGate({
    fences: { role: 'active', isLeader: true },
    outage: { find: () => null },
    refusals: {
      record: ({ reason }) => {
        reasons.push(reason);
        return Promise.resolve();
      },
    },
  });
  const check = (): never => {
    throw new QueryError(code, 'no');
  };
  await expect(gate.admit({ ...anAction, check })).rejects.toMatchObject({ code });
  expect(reasons).toEqual(recorded);
});

it.each([
  { name: 'none', reason: '', given: '0' },
  {
    name: 'one of characters without a form',
    reason: '\u200b\u2060\u3164\u2800\u0301',
    given: 'none that is seen',
  },
  { name: 'one that is too long', reason: 'r'.repeat(1_001), given: '1001' },
])('wants a reason that is read: $name', async ({ reason, given }) => {
  const gate = new ActionGate({
    fences: { role: 'active', isLeader: true },
    outage: { find: () => null },
    refusals: { record: () => Promise.resolve() },
  });
  await expect(gate.admit({ ...anAction, reason })).rejects.toMatchObject({
    code: 'ReasonRequired',
    message: `a reason of 1 to 1000 characters is required, this one has ${given}`,
  });
});

it('records no half of a character of a reason that is too long', () => {
  expect(givenReasonOf(`${'r'.repeat(999)}😀`)).toBe('r'.repeat(999));
});
