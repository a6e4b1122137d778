import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { RollbackRehearsal } from '#git-sync';
import { LedgerWriter } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { FakeClock } from '#reconciliation/testing';
import { grantEverywhere } from '../../auth/callers/principal.ts';
import { ActionGate } from '../access/action-gate.ts';
import { SourceTurns } from './source-turns.ts';

const commit = 'c'.repeat(40);
const principal = { name: 'ann', grants: grantEverywhere('operator') };
const effect = { summary: '', changes: [], total: 0, effects: [], standing: [] };

describe('dry runs that take turns of a source', () => {
  it('ask for one at a time, so that what is to be done waits for few of them', async () => {
    const asked: PromiseWithResolvers<RollbackRehearsal>[] = [];
    const ledger = new InMemoryLedger();
    const turns = new SourceTurns({
      sources: {
        inTurn: () => Promise.reject(new Error('nothing is done')),
        rehearseResume: () => Promise.reject(new Error('a rollback is asked for')),
        rehearseSync: () => Promise.reject(new Error('a rollback is asked for')),
        rehearseRollBack: () => {
          const rehearsal = Promise.withResolvers<RollbackRehearsal>();
          asked.push(rehearsal);
          return rehearsal.promise;
        },
      },
      writer: new LedgerWriter({ port: ledger, fence: await ledger.takeOver('ledger'), cluster: 'prod' }),
      gate: new ActionGate({
        fences: { role: 'active', isLeader: true },
        outage: { find: () => null },
        refusals: { record: () => Promise.resolve() },
      }),
      clock: new FakeClock(),
    });
    const rehearse = () =>
      turns.carryOut(
        {
          name: 'RollBackSource',
          role: 'operator',
          request: { principal, source: 'policies', dryRun: true },
          details: { commit },
          require: () => effect,
          rehearse: async (turn, by) => {
            await turn.rehearseRollBack(commit, by);
            return effect;
          },
        },
        () => Promise.reject(new Error('nothing is done')),
      );
    const all = Promise.allSettled(Array.from({ length: 3 }, rehearse));
    for (let count = 1; count <= 3; count += 1) {
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
      expect(asked).toHaveLength(count);
      // One that fails keeps none of the others.
      if (count === 2) asked[1]?.reject(new Error('it failed'));
      else asked[count - 1]?.resolve({} as RollbackRehearsal);
    }
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
