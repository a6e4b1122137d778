import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(120_000);

const refusal = `CREATE TRIGGER refuse_changes BEFORE INSERT ON ledger_entry WHEN NEW.kind = 'PolicyChange'
  BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`;

const query = `{
  policyChanges(first: 100) { edges { node { policy { name } before after departure commit { hash } } } }
  syncRuns(first: 100) { edges { node { outcome commit { hash } } } }
  sources { lastSync { result message } }
}`;

interface Answer {
  readonly policyChanges: Connection<{
    readonly before: unknown;
    readonly commit: { readonly hash: string };
  }>;
  readonly syncRuns: Connection<{ readonly outcome: string; readonly commit: { readonly hash: string } }>;
  readonly sources: readonly {
    readonly lastSync: { readonly result: string; readonly message: string } | null;
  }[];
}

interface Connection<T> {
  readonly edges: readonly { readonly node: T }[];
}

describe('a controller that is killed between a change and its entries', () => {
  let world: ShopWorld;

  beforeEach(async () => {
    world = await startShopWorld();
  });
  afterEach(() => world.stop());

  const onDatabase = (sql: string): void => {
    const database = new Database(join(world.folder, 'ledger.db'));
    database.exec(sql);
    database.close();
  };

  it('records it after the next start, once, before the next change', async () => {
    const first = await world.startController();
    onDatabase(refusal);
    const added = world.repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText });
    await soon('the refusal', async () => {
      const { sources } = await first.query<Answer>(query);
      return sources[0]?.lastSync?.message.includes('not in the ledger yet') || undefined;
    });
    const during = await first.query<Answer & { readonly policies: Connection<unknown> }>(
      query.replace('{', '{ policies { edges { node { name } } }'),
    );
    expect(during.policies.edges).toEqual([{ node: { name: 'checkout' } }]);
    expect(during.policyChanges.edges).toEqual([]);
    await first.kill();
    onDatabase('DROP TRIGGER refuse_changes');
    const raised = world.repository.commit('Raise the bound', {
      'shop/checkout.yaml': policyText.replace('maxReplicas: 12', 'maxReplicas: 14'),
    });
    const second = await world.startController();
    const recorded = await soon('both changes', async () => {
      const answer = await second.query<Answer>(query);
      return answer.policyChanges.edges.length >= 2 ? answer : undefined;
    });
    expect(recorded.policyChanges.edges.map(({ node }) => [node.before === null, node.commit.hash])).toEqual([
      [false, raised],
      [true, added],
    ]);
    const runs = recorded.syncRuns.edges.map(({ node }) => [node.outcome, node.commit.hash]);
    expect(runs.slice(0, 2)).toEqual([
      ['active', raised],
      ['active', added],
    ]);
    expect(runs.filter(([, hash]) => hash === added)).toHaveLength(1);
    expect(await second.stop()).toBe(0);
  });
});
