import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { auditEntryKinds, type Operation, operations, policyStates } from '#contracts';
import type { PullRequestStorePort } from '#git-sync';
import { AdapterError } from '#kernel';
import { type ActionAnswersPort, entryKinds, type LedgerWriter } from '#ledger';
import type { Role } from '../../../apps/controller/src/auth/callers/principal.ts';
import { CommitReviews } from '../../../apps/controller/src/forge/commit-reviews.ts';
import {
  actionAnswersToken,
  administrationWriterToken,
  pullRequestStoreToken,
} from '../../../apps/controller/src/ledger/ledger.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aDecisionDraft, anEventDraft, appended, timeAfter } from '../../support/ledger-builders.ts';
import { type AnApplication, anApplication, codesOf } from './an-application.ts';
import { askRest, openApi, type RestAnswer, type RestRequest } from './described-rest.ts';
import { connections, forgedCursors, lists } from './support/forged-cursors.ts';

jest.setTimeout(60_000);

const policyText = (name: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  minReplicas: 2
  maxReplicas: 9
`;

const names = ['cart', 'checkout', 'search'];

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

describe('the REST API', () => {
  let application: AnApplication;
  let first: string;
  beforeAll(async () => {
    application = await anApplication();
    first = application.repository.commit(
      'Scale the shop',
      Object.fromEntries(names.map((name) => [`${name}.yaml`, policyText(name)])),
    );
    await application.nest.init();
    await soon('the policies', async () => {
      const { body } = await ask({ path: '/policies' });
      return (body['items'] as readonly object[]).length === names.length || undefined;
    });
    const writer = application.nest.get<LedgerWriter>(administrationWriterToken);
    for (let round = 0; round < 25; round += 1) {
      const policy = { namespace: 'books', name: round % 2 === 0 ? 'even' : 'odd' };
      const drafts = [
        aDecisionDraft({ policy, time: timeAfter(round) }),
        anEventDraft({ policy }, timeAfter(round)),
      ];
      appended(await writer.append({ drafts }));
    }
  });
  afterAll(() => application.close());

  const ask = (request: RestRequest): Promise<RestAnswer> => askRest(application, request);
  const itemsOf = ({ body }: RestAnswer): readonly Record<string, unknown>[] =>
    body['items'] as readonly Record<string, unknown>[];
  const pathOf = (link: string, rel: string): string | undefined =>
    new RegExp(`<([^>]*)>; rel="${rel}"`).exec(link)?.[1]?.replace('/api/v1', '');

  it('serves exactly the operations that its document describes', () => {
    const described = Object.entries(openApi.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    );
    const all = Object.values<Operation>(operations);
    expect(described.sort()).toEqual(
      all.map(({ id, method, path }) => `${id} ${method.toLowerCase()} ${path}`).sort(),
    );
    const server = application.nest.getHttpAdapter().getInstance();
    const isServed = ({ method, path }: Operation): boolean =>
      server.hasRoute({ method, url: `/api/v1${path.replaceAll(/\{([a-z]+)\}/g, ':$1')}` });
    expect(all.filter((operation) => !isServed(operation))).toEqual([]);
  });

  it('narrows lists by namespace, time, kind and actor', async () => {
    const [from, until] = [timeAfter(3), timeAfter(5)].map(encodeURIComponent);
    const named = async (path: string) => itemsOf(await ask({ path })).length;
    expect(await named(`/scaling-events?namespace=books&from=${from}&until=${until}`)).toBe(2);
    expect(await named(`/policies/books/even/scaling-events?from=${from}&until=${until}`)).toBe(1);
    expect(await named(`/decisions?namespace=books&from=${from}&until=${until}`)).toBe(2);
    expect(await named(`/decisions?namespace=none&from=${from}&until=${until}`)).toBe(0);
    expect(await named('/policies?namespace=shop&namespace=none')).toBe(names.length);
    expect(await named('/policies?namespace=none')).toBe(0);

    const scope = { kind: 'Namespace', namespace: 'shop' };
    const terms = { expires: inAnHour(), reason: 'a test' };
    const begun = await ask({
      method: 'POST',
      path: '/interventions',
      body: { kind: 'DryRun', scope, ...terms },
    });
    for (const [query, count] of [
      ['kind=DryRun&namespace=shop&actor=the-admin', 1],
      ['kind=Suspend&kind=Override', 0],
      ['namespace=none', 0],
      ['actor=nobody', 0],
    ] as const)
      expect([query, await named(`/interventions?${query}`)]).toEqual([query, count]);
    await ask({ method: 'DELETE', path: `/interventions/${String(begun.body['id'])}?reason=over` });
  });

  it('says who calls, and what the caller may do where', async () => {
    const { body } = await ask({ path: '/me', role: 'operator' });
    expect(body).toEqual({
      name: 'the-operator',
      owner: 'the-operator',
      email: 'operator@example.com',
      forgeLogin: null,
      grants: [{ role: 'operator', namespaces: ['*'] }],
      token: null,
    });
    expect(await ask({ path: '/me', role: null })).toMatchObject({ status: 401 });
  });

  it('reads each thing that it lists', async () => {
    const [policy] = itemsOf(await ask({ path: '/policies?first=1' }));
    expect(policy).toMatchObject({ namespace: 'shop', name: 'cart', minReplicas: 2 });
    const details = await ask({ path: '/policies/shop/cart' });
    expect(details.body).toMatchObject({ document: { kind: 'AutoscalingPolicy' } });
    const values = await ask({ path: '/policies/shop/cart/effective-values' });
    expect(values.body).toMatchObject({
      values: expect.arrayContaining([
        expect.objectContaining({
          path: 'spec.minReplicas',
          origin: expect.objectContaining({ kind: 'Document' }),
        }),
      ]),
    });
    const then = encodeURIComponent(new Date().toISOString());
    expect((await ask({ path: `/policies/shop/cart/effective-values?time=${then}` })).body).toEqual(
      values.body,
    );
    const before = await ask({ path: '/policies/shop/cart/effective-values?time=2020-01-01T00:00:00Z' });
    expect(before).toMatchObject({ status: 404, body: { code: 'UnknownPolicy' } });
    const [decision] = itemsOf(await ask({ path: '/policies/books/even/decisions' }));
    const id = encodeURIComponent(String(decision?.['id']));
    const found = await ask({ path: `/decisions/${id}` });
    expect(found.body).toMatchObject({ ...decision, input: { settings: expect.anything() } });
    expect((await ask({ path: `/decisions/${id}?without=input` })).body).toEqual(decision);
    const [event] = itemsOf(await ask({ path: '/policies/books/odd/scaling-events' }));
    expect(event).toMatchObject({ policy: { namespace: 'books', name: 'odd' } });
    const [source] = itemsOf(await ask({ path: '/sources' }));
    expect((await ask({ path: '/sources/policies' })).body).toEqual(source);
    const [revision] = itemsOf(await ask({ path: '/sources/policies/revisions' }));
    expect(revision).toMatchObject({ commit: { hash: first }, outcome: 'active' });
    expect((await ask({ path: `/sources/policies/revisions/${first}` })).body).toEqual(revision);
    expect((await ask({ path: `/sources/policies/revisions/${'0'.repeat(40)}` })).status).toBe(404);
  });

  it('follows a policy, a decision and an entry back to what allowed them', async () => {
    const [version] = itemsOf(await ask({ path: '/policies/shop/cart/versions' }));
    expect(version).toMatchObject({ origin: { commit: { hash: first } }, validTo: null });
    const filter = `namespace=shop&kind=PolicyChange&kind=Decision&commit=${first}`;
    const entries = await soon('the first decision', async () => {
      const found = itemsOf(await ask({ path: `/audit-entries?first=100&${filter}` }));
      return found.some(({ kind }) => kind === 'Decision') ? found : undefined;
    });
    expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['PolicyChange', 'Decision']));
    const decision = entries.find(({ kind }) => kind === 'Decision');
    const id = encodeURIComponent(String(decision?.['id']));
    expect((await ask({ path: `/audit-entries/${id}` })).body).toEqual(decision);
    const pullRequest = { number: 12, author: 'alex', approvers: ['ada'], verified: true };
    await application.nest
      .get<PullRequestStorePort>(pullRequestStoreToken)
      .save('policies', first, pullRequest);
    const commit = { hash: first, author: 'Ada <ada@example.com>', subject: 'Scale', time: inAnHour() };
    await application.nest.get(CommitReviews).record('policies', commit, pullRequest);
    const blame = await ask({ path: `/decisions/${id}/blame` });
    const { name } = decision?.['policy'] as { readonly name: string };
    expect((await ask({ path: `/policies/shop/${name}/blame` })).body).toEqual(blame.body);
    expect((await ask({ path: '/policies/shop/none/blame' })).body).toMatchObject({ code: 'UnknownPolicy' });
    expect(blame.body).toMatchObject({
      decision: { id: decision?.['id'] },
      version: { origin: { commit: { hash: first } } },
      change: { kind: 'PolicyChange' },
      revision: { commit: { hash: first } },
      sync: { kind: 'SyncRun' },
      pullRequest,
      review: { kind: 'CommitReview', payload: { commit, pullRequest: { number: 12, approvers: ['ada'] } } },
    });
  });

  describe.each(forgedCursors)('a cursor that is $name', ({ after }) => {
    it.each(lists)('is refused by $id', async ({ path }) => {
      const list = path
        .replace('{namespace}', 'shop')
        .replace('{name}', path.startsWith('/sources') ? 'policies' : 'cart');
      const query = list === '/leaving-policies' ? 'to=HorizontalPodAutoscaler&' : '';
      const answer = await ask({ path: `${list}?${query}after=${encodeURIComponent(after)}`, role: 'admin' });
      expect(answer).toMatchObject({ status: 400, body: { code: 'BadCursor' } });
    });

    it.each(connections)('is refused by $type.$field', async ({ type, field }) => {
      const to = field === 'leavingPolicies' ? ', to: HorizontalPodAutoscaler' : '';
      const asked = `${field}(after: ${JSON.stringify(after)}${to}) { pageInfo { endCursor } }`;
      const text = type === 'Policy' ? `policy(namespace: "shop", name: "cart") { ${asked} }` : asked;
      expect(codesOf(await application.ask(`{ ${text} }`, 'admin'))).toEqual(['BadCursor']);
    });
  });

  it('knows every state of a policy, and counts by them', async () => {
    const { body } = await ask({ path: '/fleet' });
    const states = body['states'] as readonly { state: string; policies: number }[];
    expect(states.map(({ state }) => state).sort()).toEqual([...policyStates].sort());
    const failing = itemsOf(await ask({ path: '/policies?state=Failing&first=100' }));
    expect(states).toContainEqual({ state: 'Failing', policies: failing.length });
    expect(failing.every(({ states: own }) => (own as readonly string[]).includes('Failing'))).toBe(true);
  });

  it('knows every kind of entry', () => {
    expect([...auditEntryKinds].sort()).toEqual([...entryKinds].sort());
  });

  it('makes, lists and revokes tokens, and shows each once', async () => {
    const expires = inAnHour();
    const make = () =>
      ask({
        method: 'POST',
        path: '/tokens',
        role: 'operator',
        headers: { 'idempotency-key': 'token' },
        body: {
          name: 'ci',
          grants: [{ role: 'viewer', namespaces: ['shop'] }],
          expires,
          reason: 'a test',
        },
      });
    const { token, ...made } = (await make()).body;
    expect(token).toMatch(/^plm_/);
    expect(await make()).toMatchObject({ status: 409, body: { code: 'AnswerNotKept' } });
    expect(itemsOf(await ask({ path: '/tokens' }))).toEqual([made]);
    const revoked = await ask({ method: 'DELETE', path: `/tokens/${String(made['id'])}?reason=over` });
    expect(revoked.body).toMatchObject({ id: made['id'], revokedAt: expect.any(String) });
  });

  it.each([
    '/policies',
    '/decisions?until=2026-11-21T00%3A00%3A00Z',
    '/scaling-events',
    '/policies/books/even/decisions',
    '/sources',
    '/holds',
  ])('%s has the same items in pages that Link names as in one stream of lines', async (path) => {
    const paged: unknown[] = [];
    const start = `${path}${path.includes('?') ? '&' : '?'}first=2`;
    for (let next: string | undefined = start; next !== undefined;) {
      const page = await ask({ path: next });
      const link = page.headers.get('link') ?? '';
      expect(pathOf(link, 'first')).toBe(start);
      paged.push(...itemsOf(page));
      next = pathOf(link, 'next');
      expect(page.body['next'] === null).toBe(next === undefined);
    }
    const lines = await ask({ path, headers: { accept: 'application/x-ndjson' } });
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
    const streamed = lines.text.split('\n').filter((line) => line !== '');
    expect(streamed.map((line) => JSON.parse(line) as unknown)).toEqual(paged);
  });

  it('answers 304 for what the caller has, until it changes', async () => {
    const read = await ask({ path: '/interventions' });
    const etag = read.headers.get('etag') ?? '';
    for (const known of [etag, `"x", W/${etag}`, '*'])
      expect((await ask({ path: '/interventions', headers: { 'if-none-match': known } })).status).toBe(304);
    const body = {
      kind: 'Suspend',
      scope: { kind: 'Policy', namespace: 'shop', name: 'cart' },
      direction: 'Down',
      expires: inAnHour(),
      reason: 'a test',
    };
    const begun = await ask({ method: 'POST', path: '/interventions', body });
    expect(begun).toMatchObject({ status: 201, body: { kind: 'Suspend', actor: 'the-admin' } });
    const path = `/interventions/${String(begun.body['id'])}?reason=over`;
    expect(begun.headers.get('location')).toBe(`/api/v1/interventions/${String(begun.body['id'])}`);
    const again = await ask({ path: '/interventions', headers: { 'if-none-match': etag } });
    const { begun: met, ...standing } = begun.body;
    expect(met).toMatchObject({ policies: 1, effects: [expect.any(String)], standing: [] });
    expect([again.status, itemsOf(again)]).toEqual([200, [standing]]);
    expect(await ask({ method: 'DELETE', path: `${path}&kind=DryRun` })).toMatchObject({
      status: 404,
      body: { code: 'UnknownIntervention', detail: expect.stringContaining('it is a suspension') },
    });
    expect((await ask({ method: 'DELETE', path })).body).toEqual(standing);
    expect(await ask({ method: 'DELETE', path })).toMatchObject({
      status: 404,
      body: { code: 'UnknownIntervention' },
    });
  });

  it('says beforehand what an action would do, and carries out what was looked at', async () => {
    const body = {
      kind: 'DryRun',
      scope: { kind: 'Namespace', namespace: 'shop' },
      expires: inAnHour(),
    };
    const preview = await ask({ method: 'POST', path: '/interventions?dryRun=true', body });
    expect(preview).toMatchObject({
      status: 200,
      body: { effect: { action: 'StartDryRun', total: names.length, requires: { role: 'operator' } } },
    });
    const { digest } = preview.body['effect'] as { readonly digest: string };
    const begin = (confirm: string) =>
      ask({
        method: 'POST',
        path: `/interventions?confirm=${confirm}`,
        body: { ...body, reason: 'a test' },
      });
    expect(await begin('0'.repeat(64))).toMatchObject({
      status: 409,
      body: { code: 'StaleConfirmation', effect: { digest } },
    });
    const begun = await begin(digest);
    expect(begun).toMatchObject({ status: 201, body: { kind: 'DryRun' } });
    expect(await begin(digest)).toMatchObject({
      status: 409,
      body: { code: 'AlreadyInForce', standing: { id: begun.body['id'] } },
    });
    const path = `/interventions/${String(begun.body['id'])}`;
    expect(await ask({ method: 'DELETE', path: `${path}?dryRun=true` })).toMatchObject({
      status: 200,
      body: { effect: { action: 'EndDryRun', total: names.length } },
    });
    expect(await ask({ method: 'DELETE', path: `${path}?reason=over` })).toMatchObject({ status: 200 });
  });

  it('says beforehand what a rollback would change', async () => {
    const path = '/sources/policies/rollback?dryRun=true';
    expect(await ask({ method: 'POST', path, body: { commit: first } })).toMatchObject({
      status: 200,
      body: { effect: { action: 'RollBackSource', total: 0 } },
    });
    const release = '/policies/shop/cart/release?dryRun=true';
    expect(await ask({ method: 'POST', path: release, body: { source: 'policies' } })).toMatchObject({
      body: { effect: { changes: ['shop/cart gone'], total: 1 } },
    });
    expect((await ask({ path: '/policies/shop/cart' })).status).toBe(200);
  });

  it('carries out what is done to sources', async () => {
    const post = (path: string, body?: object) => ask({ method: 'POST', path, body });
    const second = application.repository.commit('Search more', {
      'search.yaml': `${policyText('search')}  interval: 30s\n`,
    });
    expect(await post('/sources/policies/sync')).toMatchObject({
      body: { result: 'active', commit: { hash: second } },
    });
    const reason = 'a test';
    expect((await post('/sources/policies/rollback', { commit: first, reason })).status).toBe(200);
    const preview = (await post('/sources/policies/resume?dryRun=true', {})).body;
    expect(preview).toMatchObject({ effect: { changes: ['shop/search changed: interval 15s → 30s'] } });
    expect((await ask({ path: '/sources/policies' })).body).toMatchObject({ pin: { commit: first, reason } });
    expect(await post('/sources/policies/resume', { reason })).toMatchObject({ status: 200 });
    const release = { source: 'policies', reason };
    expect(await post('/policies/shop/cart/release', release)).toMatchObject({ status: 200 });
    expect((await ask({ path: '/policies/shop/cart' })).status).toBe(404);
    expect(await post('/policies/shop/cart/resume', release)).toMatchObject({ status: 200 });
    expect((await ask({ path: '/policies/shop/cart' })).status).toBe(200);
  });

  describe('an action with an Idempotency-Key', () => {
    const suspend = (key: string, reason: string, role: Role = 'operator'): Promise<RestAnswer> =>
      ask({
        method: 'POST',
        path: '/interventions',
        role,
        headers: { 'idempotency-key': key },
        body: {
          kind: 'Suspend',
          scope: { kind: 'Namespace', namespace: 'shop' },
          direction: 'Up',
          expires,
          reason,
        },
      });
    const expires = inAnHour();
    const standing = async (): Promise<number> => itemsOf(await ask({ path: '/interventions' })).length;

    it('is carried out once, also where it is asked for at the same time, and answered alike', async () => {
      const before = await standing();
      const [first, second] = await Promise.all([suspend('k-1', 'a test'), suspend('k-1', 'a test')]);
      const done = first.status === 201 ? first : second;
      const again = await suspend('k-1', 'a test');
      expect([again.status, again.text]).toEqual([201, done.text]);
      expect(again.headers.get('location')).toBe(done.headers.get('location'));
      expect([done, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
      expect(await standing()).toBe(before + 1);
    });

    it('is refused for another request, and is another caller’s own', async () => {
      await suspend('k-2', 'a test');
      expect(await suspend('k-2', 'another test')).toMatchObject({
        status: 422,
        body: { code: 'IdempotencyKeyReused' },
      });
      // Carried out, and so refused for what it says: the first caller's stands already.
      expect(await suspend('k-2', 'another test', 'approver')).toMatchObject({
        status: 409,
        body: { code: 'AlreadyInForce' },
      });
    });

    it('repeats a refusal', async () => {
      const resume = () =>
        ask({
          method: 'POST',
          path: '/sources/policies/resume',
          headers: { 'idempotency-key': 'k-3' },
          body: { reason: 'r' },
        });
      const refused = await resume();
      expect(refused).toMatchObject({ status: 409, body: { code: 'NotRolledBack' } });
      const again = await resume();
      expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([refused.text, 'true']);
    });

    it('says where the process ended before it answered', async () => {
      const answers = application.nest.get<ActionAnswersPort>(actionAnswersToken);
      const begin = jest.spyOn(answers, 'begin').mockImplementation(async (key, request, times) => {
        begin.mockRestore();
        await answers.begin(key, request, times);
        return answers.begin(key, request, times);
      });
      for (let time = 0; time < 2; time += 1) {
        expect(await suspend('k-4', 'a test')).toMatchObject({
          status: 409,
          body: { code: 'OutcomeUnknown' },
        });
      }
    });

    it('is not carried out again where its answer could not be kept', async () => {
      const answers = application.nest.get<ActionAnswersPort>(actionAnswersToken);
      const finish = jest
        .spyOn(answers, 'finish')
        .mockRejectedValueOnce(new AdapterError({ code: 'Locked', message: 'locked', retryable: true }));
      const suspendAll = () =>
        ask({
          method: 'POST',
          path: '/interventions',
          role: 'operator',
          headers: { 'idempotency-key': 'k-6' },
          body: { kind: 'Suspend', scope: { kind: 'Cluster' }, direction: 'Both', expires, reason: 'a test' },
        });
      const before = await standing();
      expect(await suspendAll()).toMatchObject({ status: 201 });
      finish.mockRestore();
      expect(await suspendAll()).toMatchObject({ status: 409, body: { code: 'OutcomeUnknown' } });
      expect(await standing()).toBe(before + 1);
    });

    it('has a key that is one', async () => {
      expect(await suspend('k 5', 'a test')).toMatchObject({ status: 400, body: { code: 'BadArgument' } });
    });
  });

  interface Mistake {
    readonly name: string;
    readonly request: RestRequest;
    readonly status: number;
    readonly code: string;
    readonly detail?: string;
  }

  it.each<Mistake>([
    { name: 'no token', request: { path: '/policies', role: null }, status: 401, code: 'Unauthenticated' },
    {
      name: 'a role that does not suffice',
      request: { method: 'POST', path: '/sources/policies/sync', role: 'viewer' },
      status: 403,
      code: 'Forbidden',
    },
    { name: 'an unknown path', request: { path: '/policy' }, status: 404, code: 'NotFound' },
    { name: 'an unknown policy', request: { path: '/policies/a/b' }, status: 404, code: 'UnknownPolicy' },
    { name: 'an unknown source', request: { path: '/sources/none' }, status: 404, code: 'UnknownSource' },
    {
      name: 'an unknown decision',
      request: { path: '/decisions/policy%3Aa%2Fb%231' },
      status: 404,
      code: 'UnknownDecision',
    },
    {
      name: 'another method',
      request: { method: 'PUT', path: '/policies', body: {} },
      status: 405,
      code: 'MethodNotAllowed',
    },
    {
      name: 'another representation',
      request: { path: '/policies', headers: { accept: 'text/html' } },
      status: 406,
      code: 'NotAcceptable',
    },
    {
      name: 'lines of a single thing',
      request: { path: '/sources/policies', headers: { accept: 'application/x-ndjson' } },
      status: 406,
      code: 'NotAcceptable',
    },
    {
      name: 'an unknown parameter',
      request: { path: '/policies?limit=5' },
      status: 400,
      code: 'BadArgument',
      detail: 'the query has "limit", which this operation does not take',
    },
    { name: 'a page of none', request: { path: '/policies?first=0' }, status: 400, code: 'BadArgument' },
    { name: 'a page of 101', request: { path: '/policies?first=101' }, status: 400, code: 'BadArgument' },
    { name: 'a page of -1', request: { path: '/policies?first=-1' }, status: 400, code: 'BadArgument' },
    {
      name: 'a parameter twice',
      request: { path: '/policies?first=1&first=2' },
      status: 400,
      code: 'BadArgument',
    },
    {
      name: 'a cursor that is none',
      request: { path: '/decisions?after=x' },
      status: 400,
      code: 'BadCursor',
    },
    {
      name: 'lines from a cursor that is none',
      request: { path: '/decisions?after=x', headers: { accept: 'application/x-ndjson' } },
      status: 400,
      code: 'BadCursor',
    },
    { name: 'no time', request: { path: '/decisions?from=now' }, status: 400, code: 'BadTime' },
    { name: 'no name', request: { path: '/policies/SHOP/cart' }, status: 400, code: 'BadArgument' },
    { name: 'a NUL', request: { path: '/policies/shop/%00' }, status: 400, code: 'BadArgument' },
    {
      name: 'SQL',
      request: { path: `/policies?namespace=${encodeURIComponent("shop' OR 1=1 --")}` },
      status: 400,
      code: 'BadArgument',
    },
    {
      name: 'malformed JSON',
      request: { method: 'POST', path: '/interventions', body: '{' },
      status: 400,
      code: 'BadRequest',
    },
    {
      name: 'a body of another form',
      request: { method: 'POST', path: '/interventions', body: { kind: 'Suspend', extra: 1 } },
      status: 400,
      code: 'BadArgument',
    },
    {
      name: 'a body where none is wanted',
      request: { method: 'POST', path: '/sources/policies/sync', body: { force: true } },
      status: 400,
      code: 'BadArgument',
    },
    {
      name: 'another content type',
      request: {
        method: 'POST',
        path: '/interventions',
        body: 'x',
        headers: { 'content-type': 'text/plain' },
      },
      status: 415,
      code: 'UnsupportedMediaType',
    },
    {
      name: 'a body too large',
      request: { method: 'POST', path: '/interventions', body: { kind: 'x'.repeat(300_000) } },
      status: 413,
      code: 'BodyTooLarge',
    },
    {
      name: 'a hold that is not there',
      request: { method: 'POST', path: '/sources/policies/holds/x/approve', body: { reason: 'r' } },
      status: 404,
      code: 'UnknownHold',
    },
    {
      name: 'resuming a source that follows its ref',
      request: { method: 'POST', path: '/sources/policies/resume', body: { reason: 'r' } },
      status: 409,
      code: 'NotRolledBack',
    },
  ])('$name is $status $code', async ({ request, status, code, detail }) => {
    const { body, ...answer } = await ask(request);
    expect([answer.status, body['code']]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(body).toMatchObject({
      type: 'about:blank',
      status,
      code,
      ...(detail === undefined ? {} : { detail }),
    });
    if (status === 405) expect(answer.headers.get('allow')).toBe('GET, HEAD');
  });

  it('answers every method that an operation does not have with 405 and those that it has', async () => {
    const methodsOf = Map.groupBy(Object.values<Operation>(operations), ({ path }) => path);
    for (const [path, found] of methodsOf) {
      const taken: string[] = found.map(({ method }) => method);
      const allowed = taken.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND']) {
        if (taken.includes(method)) continue;
        const { status, headers } = await ask({ method, path: path.replaceAll(/\{\w+\}/g, 'x') });
        expect([method, path, status]).toEqual([method, path, 405]);
        expect(new Set(headers.get('allow')?.split(', '))).toEqual(new Set(allowed));
      }
    }
    expect((await ask({ method: 'QUERY', path: '/nothing' })).status).toBe(404);
  });

  it('is described by a page without scripts that fetches nothing', async () => {
    const json = await fetch(`${application.url()}/api/v1/openapi.json`);
    expect(await json.json()).toEqual(openApi);
    const page = await fetch(`${application.url()}/api/v1/reference`);
    const text = await page.text();
    const [, style = ''] = /<style>([^<]*)<\/style>/.exec(text) ?? [];
    expect(page.headers.get('content-security-policy')).toContain(
      `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}';`,
    );
    expect(text).not.toMatch(/<script|<link|<img|src=|href="http/);
    for (const id of Object.keys(operations)) expect(text).toContain(`id="${id}"`);
  });

  it('puts no error into the log', () => {
    expect(application.log.filter(({ level }) => level >= 50)).toEqual([]);
  });
});
