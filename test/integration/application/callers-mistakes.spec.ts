import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type AnApplication, orRefusal } from './an-application.ts';
import { bothDatabases } from './support/both-databases.ts';
import { startUnlimited } from './support/start-unlimited.ts';

jest.setTimeout(60_000);

interface Refusal {
  readonly code?: string;
  readonly data?: Readonly<Record<string, { readonly code?: string } | null>> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

function codeIn({ code, errors, data }: Refusal): string | undefined {
  const [refusal] = Object.values(data ?? {});
  return code ?? errors?.[0]?.extensions.code ?? refusal?.code;
}

describe.each(bothDatabases)("a caller's mistake, on $database", ({ makeDatabase }) => {
  let application: AnApplication;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ application, stop } = await startUnlimited(makeDatabase));
  });
  afterAll(() => stop());

  interface Given {
    readonly path?: string;
    readonly method?: string;
    readonly type?: string;
    readonly body?: string;
    readonly coding?: string;
  }

  async function send({
    path = '/graphql',
    method = 'POST',
    type = 'application/json',
    body,
    coding,
  }: Given) {
    const response = await fetch(new URL(path, application.url()), {
      method,
      headers: {
        authorization: `Bearer ${application.tokens.admin}`,
        ...(body === undefined ? {} : { 'content-type': type }),
        ...(coding === undefined ? {} : { 'content-encoding': coding }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const answer = (await response.json()) as Refusal;
    const acceptEncoding = response.headers.get('accept-encoding');
    return { status: response.status, code: codeIn(answer), answer, acceptEncoding };
  }
  const query = (text: string): string => JSON.stringify({ query: text });
  const deep = `{ policies { ${'edges { node { decisions { '.repeat(5)} pageInfo { endCursor } ${'} } } '.repeat(5)} } }`;

  it.each<{ readonly name: string; readonly given: Given; readonly status: number; readonly code: string }>([
    { name: 'no JSON', given: { body: '{' }, status: 400, code: 'BadRequest' },
    { name: 'an empty body', given: { body: '' }, status: 400, code: 'BadRequest' },
    { name: 'JSON of another form', given: { body: '"query"' }, status: 400, code: 'BadQuery' },
    { name: 'a query that is a number', given: { body: '{"query":5}' }, status: 400, code: 'BadQuery' },
    {
      name: 'another content type',
      given: { type: 'text/plain', body: 'x' },
      status: 415,
      code: 'UnsupportedMediaType',
    },
    {
      name: 'a form',
      given: { type: 'application/x-www-form-urlencoded', body: 'query=x' },
      status: 415,
      code: 'UnsupportedMediaType',
    },
    {
      name: 'a body too large',
      given: { body: query(' '.repeat(300_000)) },
      status: 413,
      code: 'BodyTooLarge',
    },
    {
      name: '__proto__',
      given: { body: '{"query":"{ __typename }","__proto__":{"x":1}}' },
      status: 400,
      code: 'BadRequest',
    },
    ...['/auth/session', '/auth/logout'].flatMap((path) => [
      { name: `no JSON to ${path}`, given: { path, body: '{' }, status: 400, code: 'BadRequest' },
      { name: `an empty body to ${path}`, given: { path, body: '' }, status: 400, code: 'BadRequest' },
      {
        name: `a form to ${path}`,
        given: { path, type: 'application/x-www-form-urlencoded', body: 'token=x' },
        status: 415,
        code: 'UnsupportedMediaType',
      },
      {
        name: `a body too large to ${path}`,
        given: { path, body: query(' '.repeat(300_000)) },
        status: 413,
        code: 'BodyTooLarge',
      },
    ]),
    ...[
      { path: '/healthz', method: 'POST' },
      { path: '/readyz?x=1', method: 'DELETE' },
      { path: '/graphql', method: 'PUT' },
      { path: '/auth/session', method: 'PUT' },
      { path: '/api/v1/openapi.json', method: 'POST' },
    ].map((given) => ({
      name: `${given.method} ${given.path}`,
      given,
      status: 405,
      code: 'MethodNotAllowed',
    })),
    { name: 'a batch', given: { body: '[{"query":"{ __typename }"}]' }, status: 400, code: 'BadQuery' },
    {
      name: 'a document of JSON',
      given: { body: query('{"kind":"Document","definitions":[]}') },
      status: 400,
      code: 'BadQuery',
    },
    {
      name: 'too many tokens',
      given: { body: query(`{ ${'__typename '.repeat(2_000)} }`) },
      status: 400,
      code: 'BadQuery',
    },
    {
      name: 'a document of 1 MB',
      given: { body: query(`{ ${'a'.repeat(1_000_000)} }`) },
      status: 413,
      code: 'BodyTooLarge',
    },
    {
      name: 'fragments in a circle',
      given: {
        body: query(
          '{ policies { ...a } } fragment a on PolicyConnection { ...b } fragment b on PolicyConnection { ...a }',
        ),
      },
      status: 400,
      code: 'BadQuery',
    },
    {
      name: 'a hash that is not that of the query',
      given: {
        body: JSON.stringify({
          query: '{ __typename }',
          extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } },
        }),
      },
      status: 400,
      code: 'PersistedQueryMismatch',
    },
    {
      name: 'an unknown hash',
      given: {
        body: JSON.stringify({ extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } }),
      },
      status: 400,
      code: 'PersistedQueryNotFound',
    },
    {
      name: 'a hash of another form',
      given: { body: JSON.stringify({ extensions: { persistedQuery: { version: 2, sha256Hash: 7 } } }) },
      status: 400,
      code: 'PersistedQueryNotSupported',
    },
    { name: 'a syntax error', given: { body: query('{') }, status: 400, code: 'BadQuery' },
    { name: 'an unknown field', given: { body: query('{ nope }') }, status: 400, code: 'BadQuery' },
    { name: 'too deep a query', given: { body: query(deep) }, status: 400, code: 'BadQuery' },
    {
      name: 'a mutation by GET',
      given: {
        path: `/graphql?query=${encodeURIComponent('mutation { syncNow(source: "policies") { __typename } }')}`,
        method: 'GET',
      },
      status: 405,
      code: 'MutationByGet',
    },
    { name: 'an unknown path', given: { path: '/nothing', method: 'GET' }, status: 404, code: 'NotFound' },
    ...['/:a(b', '/a*b', '/:graphql', '/*'].map((path) => ({
      name: `${path}, which is no pattern`,
      given: { path, method: 'GET' },
      status: 404,
      code: 'NotFound',
    })),
    { name: 'a malformed path', given: { path: '/%zz', method: 'GET' }, status: 400, code: 'BadRequest' },
  ])('$name is $status $code', async ({ given, status, code }) => {
    const found = await send(given);
    expect({ status: found.status, code: found.code }).toEqual({ status, code });
    if (found.answer.errors !== undefined) expect(found.answer.errors).not.toEqual([]);
  });

  it.each([
    { name: 'no JSON', body: '{', detail: /^the body is no JSON, or has a key that is refused: __proto__,/ },
    { name: 'nothing', body: '', detail: /^the body is (empty, and JSON|missing: it wants an object)/ },
    { name: 'too much', body: ' '.repeat(300_000), detail: /^the body is larger than 256 KiB$/ },
  ])('a body that is $name is refused with its reason', async ({ body, detail }) => {
    for (const path of ['/graphql', '/auth/session', '/api/v1/interventions'])
      expect((await send({ path, body })).answer).toMatchObject({ detail: expect.stringMatching(detail) });
  });

  it.each(['/graphql', '/auth/session', '/auth/logout', '/api/v1/interventions', '/api/v1/ledger/exports'])(
    'a body in a coding is refused by %s, which says that none is read',
    async (path) => {
      for (const coding of ['gzip', 'br', 'identity, gzip', 'nonsense']) {
        const found = await send({ path, coding, body: query('{ __typename }') });
        expect([coding, found.status, found.code]).toEqual([coding, 415, 'UnsupportedMediaType']);
        expect(found.acceptEncoding).toBe('identity');
      }
      const other = await send({ path, coding: 'Identity', type: 'text/plain', body: 'x' });
      expect([other.status, other.acceptEncoding]).toEqual([415, null]);
    },
  );

  it.each([
    {
      name: 'a time beyond range',
      text: '{ decisions(where: {from: "+275760-09-13T00:00:00Z"}) { pageInfo { endCursor } } }',
      code: 'BadTime',
    },
    {
      name: 'a time before 1970',
      text: '{ policyAt(namespace: "a", name: "b", time: "1900-01-01") { validFrom } }',
      code: 'BadTime',
    },
    ...['2026-11-22T05:00:00', '2026-11-22', '2026-11-22 05:00:00Z', '2026-11-22T05:00Z'].map((time) => ({
      name: `${time}, which has no zone or is no time`,
      text: `{ policyAt(namespace: "a", name: "b", time: "${time}") { validFrom } }`,
      code: 'BadTime',
    })),
    {
      name: 'a time without a zone in a filter',
      text: '{ decisions(where: {from: "2026-11-22T05:00:00"}) { pageInfo { endCursor } } }',
      code: 'BadTime',
    },
    ...['auditEntries', 'decisions'].map((list) => ({
      name: `a span of ${list} that ends before it begins`,
      text: `{ ${list}(where: {from: "2026-11-22T05:00:00Z", until: "2026-11-22T04:00:00Z"}) { pageInfo { endCursor } } }`,
      code: 'BadTime',
    })),
    {
      name: 'the future',
      text: '{ policyAt(namespace: "a", name: "b", time: "2261-01-01T00:00:00Z") { validFrom } }',
      code: 'BadTime',
    },
    {
      name: 'a rollback to a commit that was never in force',
      text: `mutation { rollBackSource(source: "policies", commit: "${'1'.repeat(40)}", reason: "r") { ${orRefusal} } }`,
      code: 'UnknownRevision',
    },
    {
      name: 'the release of a policy that is not in force',
      text: `mutation { releasePolicy(source: "policies", namespace: "a", name: "b", reason: "r") { ${orRefusal} } }`,
      code: 'UnknownPolicy',
    },
    {
      name: 'taking back a release that was never asked for',
      text: `mutation { resumePolicy(source: "policies", namespace: "a", name: "b", reason: "r") { ${orRefusal} } }`,
      code: 'NotReleased',
    },
    {
      name: 'resuming a source that is not rolled back',
      text: `mutation { resumeSource(source: "policies", reason: "r") { ${orRefusal} } }`,
      code: 'NotRolledBack',
    },
    {
      name: 'a name with NUL',
      text: '{ scalingEvents(policy: {namespace: "\\u0000", name: "b"}) { pageInfo { endCursor } } }',
      code: 'BadName',
    },
    {
      name: 'a name without end',
      text: `{ policyAt(namespace: "${'a'.repeat(9_999)}", name: "b", time: "2026-01-01T00:00:00Z") { validFrom } }`,
      code: 'BadName',
    },
    ...[
      {
        name: 'first: -1',
        text: '{ auditEntries(first: -1) { pageInfo { endCursor } } }',
        code: 'BadPageSize',
      },
      { name: 'first: 0', text: '{ policies(first: 0) { pageInfo { endCursor } } }', code: 'BadPageSize' },
      {
        name: 'a forged cursor',
        text: `{ auditEntries(after: "${Buffer.from('1.1 OR 1=1').toString('base64url')}") { pageInfo { endCursor } } }`,
        code: 'BadCursor',
      },
      {
        name: 'a forged cursor of versions',
        text: `{ policies { edges { node { versions(after: "${Buffer.from('-1').toString('base64url')}") { pageInfo { endCursor } } } } } }`,
        code: 'BadCursor',
      },
      {
        name: 'a cursor beyond all entries',
        text: `{ auditEntries(after: "${Buffer.from('0.1').toString('base64url')}") { pageInfo { endCursor } } }`,
        code: undefined,
      },
      {
        name: 'a thousand namespaces',
        text: `{ auditEntries(where: {namespaces: [${'"a",'.repeat(500)}]}) { pageInfo { endCursor } } }`,
        code: 'BadArgument',
      },
      {
        name: 'a commit that is none',
        text: `{ auditEntries(where: {commit: "x' OR 1=1 --"}) { pageInfo { endCursor } } }`,
        code: 'BadArgument',
      },
      {
        name: 'no kinds',
        text: '{ auditEntries(where: {kinds: []}) { pageInfo { endCursor } } }',
        code: 'BadArgument',
      },
      {
        name: 'SQL for an actor',
        text: `{ auditEntries(where: {actor: "x' OR 1=1; DROP TABLE ledger_entry; --"}) { edges { node { id } } } }`,
        code: undefined,
      },
      {
        name: 'SQL for a namespace',
        text: `{ auditEntries(where: {namespaces: ["x' OR 1=1 --"]}) { edges { node { id } } } }`,
        code: 'BadName',
      },
      {
        name: 'the 30th of February',
        text: '{ flappingPolicies(from: "2026-02-30T00:00:00Z") { isComplete } }',
        code: 'BadTime',
      },
      {
        name: 'no reversals',
        text: '{ flappingPolicies(from: "2026-02-28T00:00:00Z", reversals: 0) { isComplete } }',
        code: 'BadArgument',
      },
      {
        name: 'the id of nothing',
        text: '{ node(id: "policy:a/b#99999999999999999999") { id } }',
        code: undefined,
      },
    ],
    { name: 'an id that is none', text: '{ decision(id: "\\u0000") { id } }', code: undefined },
  ])('$name: $code', async ({ text, code }) => {
    const found = await send({ body: query(text) });
    expect({ status: found.status, code: found.code }).toEqual({ status: 200, code });
  });

  it('is a list of 60,000 wrong values, of which 50 are named, also when the query is compiled', async () => {
    const text =
      'query Wrong($states: [PolicyState!]) { policies(states: $states) { pageInfo { hasNextPage } } }';
    const body = JSON.stringify({ query: text, variables: { states: Array(60_000).fill('x') } });
    for (const time of ['first', 'second', 'third']) {
      const { status, code, answer } = await send({ body });
      const given = { time, status, code, errors: answer.errors?.length };
      // The last one says that there are more.
      expect(given).toEqual({ time, status: 400, code: 'BadQuery', errors: 51 });
    }
    // A query is compiled with the second time that its variables are right, too.
    const again = text.replace('Wrong', 'Right');
    const right = await send({
      body: JSON.stringify({ query: again, variables: { states: ['AtMaximum'] } }),
    });
    expect(right.status).toBe(200);
    const wrong = await send({ body: JSON.stringify({ query: again, variables: { states: ['x'] } }) });
    expect({ ...wrong, answer: wrong.answer.data }).toEqual({
      status: 400,
      code: 'BadQuery',
      answer: undefined,
      acceptEncoding: null,
    });
  });

  it('takes the hash of a query that was answered in its place', async () => {
    const text = '{ fleet { policies } }';
    const sha256Hash = createHash('sha256').update(text).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    const whole = await send({ body: JSON.stringify({ query: text, extensions }) });
    const hash = await send({ body: JSON.stringify({ extensions }) });
    expect(hash).toEqual(whole);
    expect(hash.answer).toEqual({ data: { fleet: { policies: 1 } } });
  });

  it('puts no error into the log', () => {
    expect(application.log.filter(({ level }) => level >= 50)).toEqual([]);
  });

  it.each([
    { name: 'a method that HTTP does not have', text: 'BLAH / HTTP/1.1\r\n\r\n', want: [400, 'BadRequest'] },
    {
      name: 'a header without a name',
      text: 'GET / HTTP/1.1\r\nno header\r\n\r\n',
      want: [400, 'BadRequest'],
    },
    {
      name: 'headers that are too large',
      text: `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      want: [431, 'HeadersTooLarge'],
    },
  ])('$name is $want', async ({ text, want }) => {
    const socket = connect({ port: Number(new URL(application.url()).port), host: '127.0.0.1' });
    socket.end(text);
    const [head = '', body = ''] = (await readText(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 .*content-type: application\/problem\+json/is);
    const { status, code } = JSON.parse(body) as { readonly status: number; readonly code: string };
    expect([status, code]).toEqual(want);
  });
});
