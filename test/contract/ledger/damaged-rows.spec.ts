import { expect, it } from '@jest/globals';
import { SqlLookStore, SqlRevisionStore, SqlShardRequests, SqlTokens } from '#adapter-sql';
import {
  type PolicyKey,
  policyStream,
  recordDamaged,
  shardScope,
  type StandingIntervention,
  type StoredToken,
} from '#ledger';
import { onBothDatabases } from './on-both-databases.ts';

const standing: StandingIntervention = {
  id: 'one',
  scope: { kind: 'Cluster' },
  intervention: { kind: 'Suspend', direction: 'Down', expires: '2027-01-01T00:00:00Z' },
};

const token: Omit<StoredToken, 'lastUsedAt'> = {
  ...{ id: 'one', sha256: 'a'.repeat(64), name: 'ann/ci', owner: 'ann', parent: null },
  ...{ grants: [{ role: 'viewer', namespaces: ['*'] }], email: null, forgeLogin: null },
  ...{ createdAt: '2026-11-20T12:00:00Z', expiresAt: '2027-11-20T12:00:00Z', revokedAt: null },
};

onBothDatabases('rows that somebody or something has spoiled', (opened) => {
  const put = async (
    table: string,
    ...rows: readonly Readonly<Record<string, string | bigint | null>>[]
  ): Promise<void> => {
    const inserts = rows.map((row) => {
      const columns = Object.keys(row);
      const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
      return { sql, parameters: Object.values(row) };
    });
    await opened().sql.transaction([{ sql: `DELETE FROM ${table}` }, ...inserts]);
  };
  const everything = { limit: 10 };

  it.each([
    'no JSON',
    'null',
    '{}',
    JSON.stringify({ ...standing, id: 'other' }),
    JSON.stringify({ ...standing, scope: {} }),
    JSON.stringify({ ...standing, scope: { kind: 'Everything' } }),
    JSON.stringify({ ...standing, intervention: undefined }),
    JSON.stringify({ ...standing, intervention: { ...standing.intervention, kind: 'Explode' } }),
    JSON.stringify({ ...standing, intervention: { kind: 'Suspend', direction: 'Down' } }),
  ])('an intervention that is none is named, and not taken for one: %s', async (record) => {
    await put('intervention', { id: 'one', record: JSON.stringify(standing) });
    expect(await opened().ledger.interventions(everything)).toEqual([standing]);
    await put('intervention', { id: 'one', record });
    await expect(opened().ledger.interventions(everything)).rejects.toMatchObject({
      code: 'DatabaseCorrupt',
      message: expect.stringContaining('intervention one'),
    });
    await opened().sql.transaction([{ sql: 'DELETE FROM intervention' }]);
  });

  it.each([
    'no JSON',
    'null',
    '{}',
    JSON.stringify({ ...token, id: 'other' }),
    JSON.stringify({ ...token, grants: null }),
    JSON.stringify({ ...token, revokedAt: undefined }),
  ])('a token that is none is valid for nobody, and the others are read: %s', async (record) => {
    const tokens = new SqlTokens(opened().sql);
    await put('api_token', { id: 'one', revision: 1n, record, last_used_at: null });
    const other = { ...token, id: 'other' };
    await opened().sql.transaction([
      {
        sql: 'INSERT INTO api_token (id, revision, record, last_used_at) VALUES (?, ?, ?, NULL)',
        parameters: ['other', 2n, JSON.stringify(other)],
      },
    ]);
    const unreadable: string[] = [];
    expect(await tokens.load((id) => unreadable.push(id))).toEqual([{ ...other, lastUsedAt: null }]);
    expect(unreadable).toEqual(['one']);
  });

  const state = {
    ...{ memory: '{}', memory_if_written: null, open_run: null, strategy: null, account: null },
    ...{ contest: null, refusal: null, updated_at: '2026-11-20T12:00:00.000Z' },
    last_decision: '{"decision":{},"entry":"policy:shop/cart#7"}',
  };
  const [cart, checkout] = ['cart', 'checkout'].map((name) => ({ namespace: 'shop', name })) as [
    PolicyKey,
    PolicyKey,
  ];
  it.each([
    ['memory', 'no JSON', 'no JSON'],
    ['memory', 'null', 'no object'],
    ['memory', '[]', 'no object'],
    ['open_run', '5', 'no object'],
    ['last_decision', '{"entry":', 'no JSON'],
  ])('a state of which %s holds %s is its policy’s alone', async (column, text, wanted) => {
    const of = (policy: PolicyKey) => ({ stream: policyStream(policy), ...state });
    await put('policy_state', of(cart), { ...of(checkout), [column]: text });
    const { ledger } = opened();
    await expect(ledger.policyStates([cart, checkout])).rejects.toMatchObject({
      code: recordDamaged,
      message: `column ${column} of policy:shop/checkout holds ${wanted}; mend the row of policy_state, or delete it: the policy then begins as one that is new`,
    });
    expect(await ledger.policyStates([cart])).toMatchObject([{ policy: cart, memory: {} }]);
    const [first, second] = await ledger.latestDecisions([cart, checkout]);
    expect(first).toBe('policy:shop/cart#7');
    expect(second).toBe(column === 'last_decision' ? null : 'policy:shop/cart#7');
  });

  it('conditions that are none are their policy’s alone', async () => {
    const of = (policy: PolicyKey, conditions: string) => ({ stream: policyStream(policy), conditions });
    await put('policy_conditions', of(cart, '[]'), of(checkout, '{}'));
    const { ledger } = opened();
    await expect(ledger.policyConditions([cart, checkout])).rejects.toMatchObject({
      code: recordDamaged,
      message: expect.stringContaining('column conditions of policy:shop/checkout holds no list'),
    });
    expect(await ledger.policyConditions([cart])).toEqual([{ policy: cart, conditions: [] }]);
  });

  it('a request that is no JSON is in no other’s way', async () => {
    const requests = new SqlShardRequests(opened().sql);
    const now = BigInt(Date.now());
    await put('shard_request', {
      id: 'bad',
      scope: shardScope(1),
      request: 'no JSON',
      answer: null,
      asked_at: now,
    });
    await requests.tell('good', { asks: true });
    const scopes = [shardScope(1), 'administration'];
    expect((await requests.unanswered(scopes)).map(({ id }) => id)).toEqual(['good']);
    await put('shard_request', {
      id: 'bad',
      scope: shardScope(1),
      request: '{}',
      answer: 'no JSON',
      asked_at: now,
    });
    expect(await requests.answers(['bad'])).toEqual(new Map());
  });

  it('a source and a look at one are named', async () => {
    await put('sync_source', { source: 'policies', state: 'no JSON' });
    await expect(new SqlRevisionStore(opened().sql).listSources()).rejects.toMatchObject({
      code: 'DatabaseCorrupt',
      message: 'column state of source policies holds no JSON',
    });
    await put('source_look', { source: 'policies', look: 'no JSON' });
    await expect(new SqlLookStore(opened().sql).list()).rejects.toMatchObject({
      message: 'column look of the look at source policies holds no JSON',
    });
  });
});
