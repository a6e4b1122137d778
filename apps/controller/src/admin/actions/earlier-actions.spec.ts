import { expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { LedgerWriter } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { grantEverywhere, type Principal } from '../../auth/callers/principal.ts';
import { EarlierActions } from './earlier-actions.ts';
import { acceptedDraft } from './record-accepted.ts';

const time = '2026-11-21T12:00:00.000Z';
const everyone: Principal = { name: 'ann', grants: grantEverywhere('viewer') };
const shop: Principal = { name: 'ben', grants: [{ role: 'viewer', namespaces: ['shop'] }] };
const pay: Principal = { name: 'eve', grants: [{ role: 'viewer', namespaces: ['pay'] }] };

async function ledgerWith(others: number, effect?: JsonObject): Promise<EarlierActions> {
  const ledger = new InMemoryLedger();
  const writer = new LedgerWriter({ port: ledger, fence: await ledger.takeOver('ledger'), cluster: 'prod' });
  const action = { actor: 'olga', action: 'EndSuspension', reason: 'it is over', arguments: { id: 'a' } };
  await writer.append({
    drafts: [acceptedDraft({ ...action, ...(effect === undefined ? {} : { effect }) }, time)],
  });
  const other = { actor: 'mallory', action: 'SyncSource', reason: null, arguments: { source: 'policies' } };
  for (let start = 0; start < others; start += 50)
    await writer.append({ drafts: Array.from({ length: 50 }, () => acceptedDraft(other, time)) });
  return new EarlierActions({ ledger, access: { isWholeVisible: () => true } });
}

const wanted = { actions: ['EndSuspension'], arguments: { id: 'a' } };
const of = (namespace: string): JsonObject => ({ policy: { namespace, name: 'x' } });

it('finds what another did behind hundreds of other actions', async () => {
  const earlier = await ledgerWith(500);
  await expect(earlier.find(everyone, wanted)).resolves.toMatchObject({ actor: 'olga', time });
});

it('looks through a thousand actions and no more', async () => {
  await expect((await ledgerWith(1_000)).find(everyone, wanted)).resolves.toBeNull();
});

it.each([
  {
    name: 'a viewer of all of its policies',
    caller: shop,
    effect: { total: 1, policies: [of('shop')] },
    is: true,
  },
  { name: 'a viewer of other ones', caller: pay, effect: { total: 1, policies: [of('shop')] }, is: false },
  {
    name: 'a viewer of some',
    caller: shop,
    effect: { total: 2, policies: [of('shop'), of('pay')] },
    is: false,
  },
  {
    name: 'one where not all are named',
    caller: shop,
    effect: { total: 30, policies: [of('shop')] },
    is: false,
  },
  { name: 'a viewer of a namespace where none is named', caller: shop, effect: undefined, is: false },
])('tells who ended an intervention: $name, $is', async ({ caller, effect, is }) => {
  const found = await (await ledgerWith(0, effect)).find(caller, wanted);
  expect(found !== null).toBe(is);
});
