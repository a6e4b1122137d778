import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '../main.ts';
import { type CliRun, runCliLines } from '../testing/run-cli.fixture.ts';

jest.setTimeout(120_000);

const why = ['--reason', 'x'];
const hash = 'a'.repeat(40);
const id = '0f0f0f0f-1111-4111-8111-111111111111';

/** Every command that asks a controller, as it is right; `%` is the folder of the test. */
const lines: Readonly<Record<string, readonly string[]>> = {
  login: ['--server', 'SERVER', '--token-file', '%/token'],
  get: [],
  'get audit-entries': ['--from', '1h'],
  'get revisions': ['--source', 'policies'],
  why: ['shop/cart'],
  blame: ['shop/cart'],
  history: ['shop/cart'],
  changes: ['shop/cart'],
  'what-if': ['shop/cart', '--max', '9'],
  'get flapping': ['--from', '1h'],
  suspend: ['shop/cart', ...why],
  unsuspend: [id, ...why],
  'dry-run on': ['shop/cart', ...why],
  'dry-run off': [id],
  override: ['shop/cart', '--min', '3', ...why],
  approve: ['policies', hash, ...why],
  reject: ['policies', hash, ...why],
  rollback: ['policies', hash, ...why],
  'resume source': ['policies', ...why],
  'release shop/cart': ['--source', 'policies', ...why],
  'release --all': ['--to', 'none', ...why],
  reshard: ['32', ...why],
  sync: ['policies'],
  'token create': ['ci', '--role', 'viewer', '--namespace', '*', '--expires', '1d', ...why],
  'token list': [],
  'token revoke': [id, ...why],
  report: ['--from', '2027-01-01'],
  completion: ['--names', 'policies'],
};

const problem = (status: number, code: string) => (response: ServerResponse) =>
  json(response, { code, detail: 'a\u001B[2J\nsentence', status }, status);

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

interface Row {
  readonly name: string;
  readonly answer: (response: ServerResponse) => void;
  readonly status: number;
  readonly says: RegExp;
}

const noApi = /does not answer as Plimsoll's API(?: \(\d+\))?; is that its address\?$/;
const otherVersion = /does not answer as this version of Plimsoll's API: |; is that its address\?$/;

const rows: readonly Row[] = [
  {
    name: 'a page of HTML',
    answer: (response) => response.end('<html><p>Welcome</html>'),
    status: 2,
    says: noApi,
  },
  {
    name: 'a page of HTML with 404',
    answer: (response) => response.writeHead(404).end('<html>'),
    status: 2,
    says: /API \(404\); is that its address\?$/,
  },
  {
    name: 'a bad gateway',
    answer: (response) => response.writeHead(502).end('<html>'),
    status: 2,
    says: /API \(502\); is that its address\?$/,
  },
  {
    name: 'a redirection',
    answer: (response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
    status: 2,
    says: /redirects to https:\/\/elsewhere\.example\/: log in with the address of the controller itself$/,
  },
  { name: 'another JSON', answer: (response) => json(response, {}), status: 2, says: otherVersion },
  { name: 'null', answer: (response) => json(response, null), status: 2, says: noApi },
  { name: 'a list', answer: (response) => json(response, []), status: 2, says: noApi },
  {
    name: 'a refusal in another form',
    answer: (response) => json(response, { error: 'no' }, 403),
    status: 2,
    says: /API \(403\); is that its address\?$/,
  },
  { name: 'half a JSON', answer: (response) => response.end('{"items":['), status: 2, says: noApi },
  {
    name: 'an answer that is cut off',
    answer: (response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"items":[');
      setImmediate(() => response.destroy());
    },
    status: 2,
    says: /does not answer: \S/,
  },
  {
    name: 'nothing',
    answer: (response) => response.destroy(),
    status: 2,
    says: /does not answer: socket hang up; is its address https:\/\/\?$/,
  },
  {
    name: 'with another protocol',
    answer: (response) => response.writeHead(101, { connection: 'upgrade', upgrade: 'other' }).end(),
    status: 2,
    says: /does not answer: it ended the connection, and gave no answer$/,
  },
  {
    name: 'an error of its own',
    answer: problem(500, 'InternalError'),
    status: 2,
    says: /cannot answer: InternalError: a\\u001b\[2J sentence$/,
  },
  {
    name: 'that it starts',
    answer: problem(503, 'Unavailable'),
    status: 2,
    says: /cannot answer: Unavailable: /,
  },
  {
    name: 'that the token is unknown',
    answer: problem(401, 'Unauthenticated'),
    status: 2,
    says: /does not know the token: (?:log in again|it is mistyped, revoked, over, or of another controller)$/,
  },
  {
    name: 'that it is forbidden',
    answer: problem(403, 'Forbidden'),
    status: 1,
    says: /^plimsoll: Forbidden: a\\u001b\[2J sentence$/,
  },
  { name: 'that there is none', answer: problem(404, 'UnknownPolicy'), status: 1, says: /: UnknownPolicy: / },
  {
    name: 'that it is too much',
    answer: problem(429, 'TooManyRequests'),
    status: 1,
    says: /: TooManyRequests: /,
  },
];

describe('the command line', () => {
  let server: Server;
  let url: string;
  let folder: string;
  /** What the controller says at each path, and beyond them. */
  let answers: ReadonlyMap<string, Row['answer']>;
  let otherwise: Row['answer'];
  let ends: readonly CliRun[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-answers-'));
    writeFileSync(join(folder, 'token'), 'plm_x\n');
    writeFileSync(join(folder, 'two-lines'), 'one\ntwo\n');
    answers = new Map(rows.map((row, at) => [String(at), row.answer]));
    server = createServer((request, response) =>
      (answers.get(request.url?.split('/')[1] ?? '') ?? otherwise)(response),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const contexts = rows.map((_, at) => [`row-${at}`, { server: `${url}/${at}`, token: 'plm_x' }] as const);
    mkdirSync(join(folder, 'plimsoll'));
    const text = JSON.stringify({ current: null, contexts: Object.fromEntries(contexts) });
    writeFileSync(join(folder, 'plimsoll', 'contexts.json'), text);
    ends = await run(rows.flatMap((_, at) => commandsAt(at)));
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    otherwise = (response) => response.destroy();
  });

  const run = (
    commands: readonly (readonly string[])[],
    environment: Readonly<Record<string, string>> = {},
  ) =>
    runCliLines(
      folder,
      commands.map((words) => words.map((word) => word.replace('%', folder).replace('SERVER', url))),
      { XDG_CONFIG_HOME: folder, PLIMSOLL_SERVER: url, PLIMSOLL_TOKEN: 'plm_x', ...environment },
    );
  const all = Object.entries(lines).map(([name, operands]) => [...name.split(' '), ...operands]);
  const commandsAt = (row: number) =>
    all.map((words) =>
      words[0] === 'login'
        ? words.map((word) => word.replace('SERVER', `SERVER/${row}`))
        : [...words, '--context', `row-${row}`],
    );

  it('has a row for every command that asks a controller', () => {
    const asking = actionsOf(createProgram()).filter(
      ([, { options }]) =>
        options.some(({ long }) => long === '--context') &&
        !options.some(({ long }) => long === '--kubeconfig'),
    );
    const names = Object.keys(lines).map((name) => `${name} `);
    const missing = asking.filter(([path]) => !names.some((name) => name.startsWith(`${path} `)));
    expect(missing.map(([path]) => path)).toEqual([]);
  });

  it.each(rows)('ends each command in one line where the controller answers $name', (row) => {
    const start = rows.indexOf(row) * all.length;
    const found = ends.slice(start, start + all.length).map(({ status, stdout, stderr }, at) => ({
      command: all[at]?.slice(0, 2).join(' '),
      // A report that a controller refuses is none that could be written.
      status: all[at]?.[0] === 'report' && status === 2 ? row.status : status,
      stdout,
      isSaid: row.says.test(stderr.trimEnd()),
      isOneLine: /^plimsoll: [^\p{Cc}]+\n$/u.test(stderr),
      stderr,
    }));
    expect(found).toEqual(
      found.map(({ command, stderr }) => ({
        ...{ command, stderr },
        ...{ status: row.status, stdout: '', isSaid: true, isOneLine: true },
      })),
    );
  });

  it('waits no longer than it is told for a controller that says nothing, or only begins to', async () => {
    otherwise = () => undefined;
    const silent = await run([['get'], ['sync', 'policies']], { PLIMSOLL_TIMEOUT: '1' });
    otherwise = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    };
    const begun = await run([['get']], { PLIMSOLL_TIMEOUT: '1' });
    for (const { status, stderr } of [...silent, ...begun]) {
      expect([status, stderr]).toEqual([
        2,
        `plimsoll: ${url} does not answer: nothing came within 1 second\n`,
      ]);
    }
  });

  it('waits for an action that takes longer than the agent of Node waits by itself', async () => {
    const done = { source: 'policies', result: 'active', message: 'nothing is new', commit: null, holds: [] };
    otherwise = (response) => void setTimeout(() => json(response, done), 5_500);
    expect(await run([['sync', 'policies']])).toMatchObject([
      { status: 0, stdout: 'policies: active, nothing is new\n', stderr: '' },
    ]);
  });

  it.each([
    { result: 'active', message: '1 policy changed', status: 0, says: 'active, 1 policy changed' },
    { result: 'unchanged', message: 'nothing is new', status: 0, says: 'unchanged, nothing is new' },
    {
      result: 'held',
      message: 'history was rewritten',
      status: 0,
      says: 'held, history was rewritten; "plimsoll get holds" lists what is held',
    },
    { result: 'rejected', message: '1 error: x', status: 1, says: 'rejected, 1 error: x' },
    {
      result: 'rejected',
      message: '2 errors: x (and 1 more)',
      errors: ['a.yaml:2:7: UnknownKind: x', 'b.yaml:1:1: RemovalUncertain: y'],
      status: 1,
      says: 'rejected, 2 errors: x (and 1 more)\n  a.yaml:2:7: UnknownKind: x\n  b.yaml:1:1: RemovalUncertain: y',
    },
    { result: 'partial', message: '1 of 2 tenants', status: 1, says: 'partial, 1 of 2 tenants' },
    { result: 'unchanged', message: 'still held: x', status: 0, says: 'unchanged, still held: x' },
    { result: 'unchanged', message: 'still rejected: x', status: 1, says: 'unchanged, still rejected: x' },
    { result: 'failed', message: 'RepositoryNotFound', status: 2, says: 'failed, RepositoryNotFound' },
  ])(
    'ends with $status where a look came to: $says',
    async ({ result, message, errors = [], status, says }) => {
      otherwise = (response) =>
        json(response, { source: 'policies', result, message, errors, commit: null, holds: [] });
      const actions = ['sync policies', `approve policies ${hash}`, `rollback policies ${hash}`].map((line) =>
        line.split(' '),
      );
      const resumptions = [
        ['resume', 'source', 'policies'],
        ['resume', 'policy', 'shop/cart', '--source', 'policies'],
        ['release', 'shop/cart', '--source', 'policies'],
      ];
      // What is done all the same is said where the look comes to nothing good.
      const done: Readonly<Record<string, string>> = {
        approve: 'the hold is approved',
        source: 'policies is no longer rolled back',
        policy: 'the release of shop/cart is taken back',
        release: 'shop/cart is released',
      };
      const each = ([verb = '', kind = '']: readonly string[]) => {
        const first = done[verb === 'resume' ? kind : verb];
        const before = status === 0 || first === undefined ? '' : `${first}; `;
        return { status, stdout: `${before}policies: ${says}\n`, stderr: '' };
      };
      const looking = [...actions, ...resumptions].map((words) => [
        ...words,
        ...(words[0] === 'sync' ? [] : why),
      ]);
      expect(await run([...looking, ['sync', 'policies', '-o', 'json']])).toEqual([
        ...looking.map(each),
        { status, stdout: expect.any(String), stderr: '' },
      ]);
    },
  );

  it.each([
    {
      name: 'is in force',
      commit: hash,
      holds: [],
      status: 0,
      says: 'the hold is approved, and what it held is in force; ',
    },
    { name: 'is held anew', commit: 'b'.repeat(40), holds: [], status: 1, says: 'the hold is approved; ' },
    {
      name: 'is held still',
      commit: hash,
      holds: [{ digest: hash }],
      status: 1,
      says: 'the hold is approved; ',
    },
  ])('ends an approval of one of several tenants with $status where what it held $name', async (given) => {
    const { commit, holds, status, says } = given;
    const looked = { source: 'policies', result: 'partial', message: 'pay waits', errors: [], holds };
    const listed = [{ source: 'policies', digest: hash, commit: hash }];
    // One answer for both questions: the holds before, and what the approval came to.
    otherwise = (response) =>
      json(response, { ...looked, commit: { hash: commit }, items: listed, next: null });
    expect(await run([['approve', 'policies', hash, ...why]])).toEqual([
      { status, stdout: `${says}policies: partial, pay waits\n`, stderr: '' },
    ]);
  });

  it('says where there is no controller, and where its address is none', async () => {
    const closed = 'http://127.0.0.1:1';
    const [refused] = await run([['get']], { PLIMSOLL_SERVER: closed });
    expect([refused?.status, refused?.stderr]).toEqual([
      2,
      `plimsoll: ${closed} does not answer: connect ECONNREFUSED 127.0.0.1:1\n`,
    ]);
    const addresses = ['localhost:8080', 'ftp://localhost', 'plimsoll', 'http://', '//x'];
    const runs = await run(addresses.map((address) => ['login', '--server', address]));
    expect(runs.map(({ status, stderr }) => [status, stderr])).toEqual(
      addresses.map((address) => [
        2,
        `plimsoll: "${address}" is no URL, such as https://plimsoll.example.com\n`,
      ]),
    );
  });

  it('says of an address with the path of an API that it wants none', async () => {
    const server = createServer((_, response) => {
      const problem = { code: 'NotFound', detail: 'there is nothing at this path' };
      response.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const logins = await run(
      [`${address}/graphql`, address].map((each) => ['login', '--server', each, '--token-file', '%/token']),
    );
    server.close();
    const said = 'plimsoll: NotFound: there is nothing at this path';
    expect(logins.map(({ status, stderr }) => [status, stderr])).toEqual([
      [1, `${said}; --server wants the address of the controller without the path of an API: ${address}\n`],
      [1, `${said}\n`],
    ]);
  });

  it('sends no token where it can be read on the way', async () => {
    const addresses = ['http://plimsoll.example.com', 'http://10.0.0.7:8080', 'http://localhost.example.com'];
    const logins = await run(
      addresses.map((address) => ['login', '--server', address, '--token-file', '%/token']),
    );
    const gets = await Promise.all(addresses.map((address) => run([['get']], { PLIMSOLL_SERVER: address })));
    const why = 'is not https://, or http:// on loopback: a token that is sent there can be read on the way';
    const cure =
      'give the controller a certificate (listen.tls), or forward its port here (kubectl port-forward)';
    const refused = addresses.map((address) => [2, `plimsoll: ${address} ${why}; ${cure}\n`]);
    expect([...logins, ...gets.flat()].map(({ status, stderr }) => [status, stderr])).toEqual([
      ...refused,
      ...refused,
    ]);
    const [withPassword] = await run([['login', '--server', 'https://me:s3cret@example.com']]);
    expect(withPassword?.stderr).toBe('plimsoll: the URL names a user; a token goes into --token-file\n');
  });

  const login = ['login', '--server', 'SERVER', '--token-file'];
  const create = ['token', 'create', 'x', '--role', 'viewer', '--namespace', '*'];
  const bad = [
    { words: [...login, '/dev/null'], says: '/dev/null holds no token: it is empty' },
    { words: [...login, '/dev/zero'], says: '/dev/zero holds no token' },
    { words: [...login, '%/none'], says: 'no such file or folder' },
    { words: [...login, '%'], says: 'it is a folder' },
    { words: [...login, '%/two-lines'], says: '/two-lines holds no token' },
    { words: ['login', '--server', 'SERVER'], says: 'does not answer: ' },
    { words: ['login'], says: '--server is missing' },
    { words: ['get', '--what'], says: "unknown option '--what'" },
    { words: ['get', 'pods'], says: 'LIST is "pods"; it wants one of policies, ' },
    { words: ['get', 'revisions'], says: 'revisions are of a source: --source NAME' },
    { words: ['get', '--source', 'x'], says: 'policies are not narrowed by --source' },
    { words: ['get', '--state', 'Sad'], says: '--state is "Sad"; it wants one of AtMaximum, ' },
    { words: ['get', '--limit', '1e9'], says: '--limit is "1e9"; it wants a count, 1 to 10000' },
    { words: ['get', '-o', 'xml'], says: '--output is "xml"; it wants one of json, yaml' },
    {
      words: ['get', '--context', 'constructor'],
      says: 'no context is named "constructor"; there is row-0, ',
    },
    { words: ['why', 'cart'], says: '"cart" is no policy: NAMESPACE/NAME' },
    ...['help nope', 'audit help nope', 'help audit nope', 'token help nope'].map((line) => ({
      words: line.split(' '),
      says: "unknown command 'nope'",
    })),
    { words: ['why'], says: 'POLICY is missing' },
    { words: ['history', 'shop/cart', '--from', 'then'], says: '--from is "then"; it wants RFC 3339' },
    { words: ['history', 'shop/cart', '--until', '99999999999d'], says: 'it wants RFC 3339' },
    {
      words: ['suspend', ...why],
      says: 'name one of a policy, --namespace, --source, --metric-source and --cluster',
    },
    { words: ['suspend', 'a/b', '--for', 'ever', ...why], says: '--for is "ever"; it wants RFC 3339' },
    { words: ['suspend', 'a/b', '--until', 'noon', ...why], says: '--until is "noon"; it wants RFC 3339' },
    {
      words: ['override', 'a/b', '--min', '-1', ...why],
      says: '--min is "-1", which is no count of replicas',
    },
    ...['suspend', 'override', 'dry-run on'].map((command) => ({
      words: [...command.split(' '), 'a/b', '--for', '2h', '--until', '2027-01-01T00:00:00Z', ...why],
      says: '--until and --for exclude each other',
    })),
    { words: ['override', 'a/b', ...why], says: 'an override wants a count: --min, --max or --replicas' },
    { words: ['override', 'a/b', '--max', '9'.repeat(30), ...why], says: 'which is no count of replicas' },
    { words: ['what-if', 'a/b', '--max', 'x'], says: '--max is "x", which is no count of replicas' },
    ...[['resume'], ['resume', 'policies'], ['resume', 'policy']].map((words) => ({
      words,
      says: 'what is to be resumed: resume source NAME, or resume policy NAMESPACE/NAME',
    })),
    ...[
      ['get', '--namespace', 'Shop'],
      ['get', 'audit-entries', '--namespace', 'shop/checkout'],
      ['suspend', '--namespace', 'SHOP', ...why],
    ].map((words) => ({
      words,
      says: `--namespace is "${words[words.indexOf('--namespace') + 1]}"; it wants the name of a namespace, such as shop: `,
    })),
    {
      words: ['token', 'create', 'x', '--role', 'viewer', '--namespace', 'a_*', '--expires', '1d', ...why],
      says: `--namespace is "a_*"; it wants the name of a namespace, or a pattern such as 'shop-*': `,
    },
    { words: ['resume', 'pod', 'x'], says: 'KIND is "pod"; it wants one of source, policy' },
    { words: ['resume', 'source', 'x', '--source', 'y'], says: '--source is of a policy' },
    { words: ['release'], says: 'name a policy, or --all' },
    { words: ['release', '--all'], says: '--all needs --to hpa or --to none' },
    { words: ['release', '--all', '--to', 'mars'], says: 'it wants one of hpa, none' },
    { words: ['release', 'a/b', '--all', '--to', 'none'], says: 'name none beside it' },
    { words: ['release', '--all', '--to', 'none', '--source', 'x'], says: 'name no --source beside it' },
    { words: ['release', 'a/b', '--source', 'x', '--to', 'hpa'], says: '--to and --manifests want --all' },
    { words: ['release', 'a/b', '--source', 'x', '--manifests', '%'], says: 'want --all' },
    { words: [...create, '--expires', 'soon', ...why], says: '--expires is "soon"' },
    { words: ['completion', 'tcsh'], says: 'the shell is "tcsh"; it wants one of bash, zsh, fish' },
  ];
  it('refuses operands and options of no use, each in a line that says which', async () => {
    const runs = await run(bad.map(({ words }) => words));
    const found = runs.map(({ status, stdout, stderr }, at) => ({
      status,
      stdout,
      isSaid: stderr.includes(bad[at]?.says ?? ''),
      isOneLine: /^plimsoll: [^\n]+\n(?:\(plimsoll (?:[a-z -]+ )?--help [^\n]+\n)?$/.test(stderr),
      stderr,
    }));
    expect(found).toEqual(
      found.map(({ stderr }) => ({ status: 2, stdout: '', isSaid: true, isOneLine: true, stderr })),
    );
  });

  it.each([
    [{ PLIMSOLL_TOKEN: 'a\nb' }, 'PLIMSOLL_TOKEN holds no token'],
    [
      { PLIMSOLL_TOKEN: '' },
      'PLIMSOLL_SERVER is set, and PLIMSOLL_TOKEN is not: set both, or name a --context',
    ],
    [
      { PLIMSOLL_SERVER: '' },
      'PLIMSOLL_TOKEN is set, and PLIMSOLL_SERVER is not: set both, or name a --context',
    ],
    [{ PLIMSOLL_TIMEOUT: '0' }, 'PLIMSOLL_TIMEOUT is "0"; it wants seconds, 1 to 3600'],
    [{ PLIMSOLL_TIMEOUT: '9999' }, 'PLIMSOLL_TIMEOUT is "9999"; it wants seconds, 1 to 3600'],
  ])('refuses the environment %j', async (environment, says) => {
    const [refused] = await run([['get']], environment);
    expect([refused?.status, refused?.stderr]).toEqual([2, `plimsoll: ${says}\n`]);
  });
});

/** Every command that ends in an action, by its path. */
function actionsOf(command: Command, path = ''): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[path.trim(), command]];
  return command.commands.flatMap((each) => actionsOf(each, `${path} ${each.name()}`));
}
