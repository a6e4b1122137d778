import { expect, it } from '@jest/globals';
import { grantEverywhere } from '../../auth/callers/principal.ts';
import { QueryError, type QueryErrorCode } from '../requests/query-error.ts';
import { ActionGate, type ActionGatePorts } from './action-gate.ts';

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
  const action = {
    name: 'SuspendScaling' as const,
    principal: { name: 'ann', grants: grantEverywhere('admin') },
    arguments: {},
    reason: 'incident 7',
    check: () => undefined,
  };
  await expect(gate.admit(action)).rejects.toMatchObject({ code: 'NotActive', message: want });
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
  const action = {
    name: 'ChangeShardCount' as const,
    principal: { name: 'ann', grants: grantEverywhere('admin') },
    arguments: {},
    reason: 'more replicas',
    check: () => {
      throw new QueryError(code, 'no');
    },
  };
  await expect(gate.admit(action)).rejects.toMatchObject({ code });
  expect(reasons).toEqual(recorded);
});
