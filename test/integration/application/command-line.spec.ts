import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { soon } from '../../e2e/support/soon.ts';
import { commandLineEnvironment } from '../../support/command-line-environment.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

const program = fileURLToPath(new URL('../../../apps/cli/src/main.ts', import.meta.url));
const policy = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: cart, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: cart }
  minReplicas: 2
  maxReplicas: 9
`;

const tokenTerms = ['--expires', '1d', '--reason', 'x'];

describe('the command line of a controller', () => {
  let application: AnApplication;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-contexts-'));
    application = await anApplication();
    application.repository.commit('Scale the shop', { 'cart.yaml': policy });
    await application.nest.init();
    writeFileSync(join(folder, 'token'), `${application.tokens.admin}\n`);
    await soon('the policy', async () => {
      const { body } = await application.ask('{ policies { edges { node { name } } } }');
      return JSON.stringify(body).includes('cart') || undefined;
    });
  });
  afterAll(async () => {
    await application.close();
    rmSync(folder, { recursive: true });
  });

  const watched = (...operands: readonly string[]) => {
    const script = `import(${JSON.stringify(program)}).then(({ main }) => main(['node', 'plimsoll', ...process.argv.slice(1)]))`;
    const options = ['--conditions=source', '--input-type=module', '--eval', script, '--', ...operands];
    const env = commandLineEnvironment(folder);
    const child = spawn(process.execPath, options, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const text = { output: '', messages: '' };
    child.stdout.on('data', (chunk: Buffer) => (text.output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text.messages += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
    return { process: child, text, ended };
  };
  const plimsoll = async (...operands: readonly string[]) => {
    const { text, ended } = watched(...operands);
    return { status: await ended, ...text };
  };

  it('wants a login first, and keeps it for its owner only', async () => {
    expect(await plimsoll('get')).toMatchObject({
      status: 2,
      messages: expect.stringContaining('plimsoll login'),
    });
    const login = ['login', '--server', application.url(), '--token-file', join(folder, 'token')];
    expect(await plimsoll(...login)).toMatchObject({
      status: 0,
      messages: expect.stringContaining('logged in as the-admin: admin everywhere\n'),
    });
    expect(statSync(join(folder, 'plimsoll', 'contexts.json')).mode & 0o777).toBe(0o600);
  });

  it('lists, for people and for scripts', async () => {
    const [table, json, yaml] = await Promise.all([
      plimsoll('get'),
      plimsoll('get', '-o', 'json'),
      plimsoll('get', '-o', 'yaml'),
    ]);
    expect(table.output).toMatch(/^POLICY +REPLICAS +BOUNDS[^\n]*\nshop\/cart +[-0-9]+ +2-9 /);
    expect(JSON.parse(json.output)).toMatchObject([{ name: 'cart' }]);
    expect(yaml.output).toContain('name: cart');
  });

  it('answers what would be decided, what was in force at a time, what flaps and what does not work', async () => {
    const whatIf = await soon('a decision', async () => {
      const answer = await plimsoll('what-if', 'shop/cart', '--max', '3');
      return answer.status === 0 ? answer : undefined;
    });
    expect(whatIf.output).toMatch(/shop\/cart[^]*\n\nrecorded {2}\d{4}-[^\n]* → [^\n]*\n$/);
    const listed = await plimsoll('get', 'decisions', '--limit', '1', '-o', 'json');
    const [{ id }] = JSON.parse(listed.output) as readonly [{ readonly id: string }];
    const headers = { authorization: `Bearer ${application.tokens.admin}` };
    const path = `${application.url()}/api/v1/decisions/${encodeURIComponent(id)}`;
    const file = join(folder, 'decision.json');
    writeFileSync(file, await (await fetch(path, { headers })).text());
    expect(await plimsoll('replay', '-f', file)).toMatchObject({
      status: 0,
      output: expect.stringContaining('1 decision replayed: 1 the same'),
    });
    const at = await plimsoll('why', 'shop/cart', '--at', new Date().toISOString());
    const now = await plimsoll('why', 'shop/cart');
    expect(now.output.replace(/^now {7}Failing \(latest pass: FailedGetScale\)\nnow {7}.+\n/m, '')).toBe(
      at.output,
    );
    expect([at.status, now.output === at.output]).toEqual([0, false]);
    expect(await plimsoll('why', 'shop/cart', '--at', '9d')).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^nothing was decided yet for shop\/cart at \d{4}-\S+Z\n$/),
    });
    const heads = await Promise.all(
      ['flapping', 'orphaned-hpas', 'degraded', 'report-schedules'].map(
        async (list) => (await plimsoll('get', list)).output.split('\n', 1)[0],
      ),
    );
    expect(heads).toEqual([
      'no policy flaps',
      'no orphaned HPAs',
      'nothing is degraded',
      'no report schedules',
    ]);
  });

  it('has the controller make a report, and writes it', async () => {
    const file = join(folder, 'report.csv');
    const report = ['report', '--from', '2026-01-01', '--namespace', 'shop'];
    const [printed, kept] = await Promise.all([
      plimsoll(...report),
      plimsoll(...report, '--format', 'csv', '--output', file),
    ]);
    expect(printed).toMatchObject({ status: 0, messages: '' });
    expect(JSON.parse(printed.output)).toMatchObject({
      report: { filter: { namespaces: ['shop'] } },
      rows: expect.arrayContaining([expect.objectContaining({ kind: 'PolicyChange', policy: 'cart' })]),
      verification: { status: 'Consistent' },
    });
    expect(kept).toEqual({ status: 0, output: '', messages: '' });
    expect(readFileSync(file, 'utf8')).toMatch(/\r\nStatement,,,,,,verification,,Consistent,/);
    expect(await plimsoll('report', '--from', '2026-01-02', '--until', '2026-01-01')).toMatchObject({
      status: 2,
      messages: expect.stringContaining('BadTime'),
    });
  });

  it('watches a list, line by line, asks only for what has changed, and ends by Ctrl-C', async () => {
    const child = watched('get', 'interventions', '--watch', '-o', 'json');
    await soon('the first answer', () => (child.text.output === '[]\n' ? true : undefined));
    const begun = await plimsoll('suspend', 'shop/cart', '--for', '30m', '--reason', 'watched', '-o', 'json');
    const { id } = JSON.parse(begun.output) as { readonly id: string };
    await soon('the suspension', () => (child.text.output.split('\n').length > 2 ? true : undefined));
    child.process.kill('SIGINT');
    expect(await child.ended).toBe(0);
    const lines = child.text.output.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject([{ id, reason: 'watched' }]);
    expect(child.text.messages).toBe('');
    await plimsoll('unsuspend', id, '--reason', 'over');
  });

  it('says what an action would do, does it, and ends it', async () => {
    const suspend = ['suspend', 'shop/cart', '--direction', 'Down', '--for', '30m'];
    const rehearsed = await plimsoll(...suspend, '--dry-run');
    expect(rehearsed.output).toContain('no scaling down of shop/cart until');
    expect((await plimsoll('get', 'interventions', '-o', 'json')).output).toBe('[]\n');
    const begun = await plimsoll(...suspend, '--reason', 'a test', '-o', 'json');
    const { id } = JSON.parse(begun.output) as { readonly id: string };
    expect(await plimsoll('unsuspend', id.slice(0, 9), '--reason', 'over')).toMatchObject({
      status: 0,
      output: `Suspend ${id} has ended\n`,
    });
    const done = await plimsoll('get', 'audit-entries', '--policy', 'shop/cart', '--kind', 'OperatorAction');
    expect(done.output).toMatch(/ OperatorAction +shop\/cart +the-admin +/);
    const other = await plimsoll('get', 'audit-entries', '--policy', 'shop/none', '-o', 'json');
    expect(other).toMatchObject({ status: 1, output: '' });
  });

  it('begins a dry run, and ends it', async () => {
    const begun = await plimsoll('dry-run', 'on', '--namespace', 'shop', '--reason', 'a test', '-o', 'json');
    const { kind, id } = JSON.parse(begun.output) as { readonly kind: string; readonly id: string };
    expect(kind).toBe('DryRun');
    expect((await plimsoll('get', 'interventions')).output).toContain('namespace shop');
    expect(await plimsoll('dry-run', 'off', id, '--reason', 'over')).toMatchObject({
      status: 0,
      output: `DryRun ${id} has ended\n`,
    });
  });

  it('says how many policies a suspension acts on, and what another operator did before', async () => {
    const first = await plimsoll('suspend', '--namespace', 'empty', '--reason', 'the first');
    const none = 'no policy in force is in its scope: it acts on those that come before it expires';
    const [, id = ''] = /^Suspend (\S+) stands until \S+\n/.exec(first.output) ?? [];
    expect(first.output.split('\n').slice(1)).toEqual([none, '']);
    const rehearsed = await plimsoll('suspend', '--namespace', 'empty', '--dry-run');
    expect(rehearsed.output.split('\n').slice(1, 3)).toEqual([
      none,
      expect.stringMatching(`^standing: Suspend by the-admin until \\S+ \\(the first\\), ${id}$`),
    ]);
    const longer = ['suspend', '--namespace', 'empty', '--for', '2h', '--reason', 'the second'];
    expect((await plimsoll(...longer)).output.split('\n').slice(1)).toEqual([
      none,
      expect.stringMatching(`^standing: Suspend by the-admin until \\S+ \\(the first\\), ${id}$`),
      '',
    ]);
    const wider = await plimsoll('suspend', '--cluster', '--reason', 'the third');
    expect(wider.output).toMatch(/\nit acts on 1 policy\n\S+: no scaling, bounds .*\nstanding: Suspend by /);
    const refused = await plimsoll('dry-run', 'off', id, '--reason', 'over');
    expect(refused).toEqual({
      status: 1,
      output: '',
      messages: `plimsoll: UnknownIntervention: no dry run ${id} stands: it is a suspension, which "plimsoll unsuspend" ends; "plimsoll get interventions" lists those that stand\n`,
    });
    const listed = await plimsoll('get', 'interventions', '-o', 'json');
    const standing = JSON.parse(listed.output) as readonly { readonly id: string }[];
    expect(standing).toHaveLength(3);
    for (const each of standing) await plimsoll('unsuspend', each.id, '--reason', 'over');
  });

  it('makes a token, says who it is, and revokes it', async () => {
    const grants = ['--role', 'operator', '--namespace', 'shop', '--namespace', 'shop-*', '--role', 'viewer'];
    const create = ['token', 'create', 'ci', ...grants, '--namespace', '*', '--expires', '12h'];
    const created = await plimsoll(...create, '--reason', 'a test');
    expect(created.output).toMatch(/^plm_\S+\n$/);
    expect(created.messages).toContain('operator in shop, shop-*; viewer everywhere, until 2');
    writeFileSync(join(folder, 'ci-token'), created.output);
    const login = ['login', '--server', application.url(), '--token-file', join(folder, 'ci-token')];
    expect((await plimsoll(...login, '--context', 'ci')).messages).toContain(
      'logged in as the-admin/ci: operator in shop, shop-*; viewer everywhere; the token expires at 2',
    );
    const sub = ['token', 'create', 'sub', '--role', 'viewer', '--namespace', '*', '--expires', '1h'];
    expect(await plimsoll(...sub, '--reason', 'x')).toMatchObject({ status: 0 });
    await plimsoll('login', '--server', application.url(), '--token-file', join(folder, 'token'));
    const listed = await plimsoll('token', 'list', '-o', 'json');
    const tokens = JSON.parse(listed.output) as readonly { readonly id: string; readonly name: string }[];
    const { id } = tokens.find(({ name }) => name.endsWith('/ci')) ?? { id: '' };
    expect((await plimsoll('token', 'revoke', id, '--reason', 'over')).output).toMatch(
      /^the-admin\/ci is revoked since 2\S+\n {2}and with it \S+\/sub \(\S+\)\n$/,
    );
    expect(await plimsoll('get', '--context', 'ci')).toMatchObject({ status: 2 });
  });

  it('keeps a new token in a new file of its owner, which goes where none is made', async () => {
    const file = join(folder, 'kept');
    const create = (namespace: string) =>
      plimsoll(
        ...['token', 'create', 'kept', '--role', 'viewer', '--namespace', namespace, '--expires', '1d'],
        ...['--reason', 'a test', '--token-file', file],
      );
    expect(await create('Shop')).toMatchObject({ status: 2, output: '' });
    expect(existsSync(file)).toBe(false);
    expect(await create('*')).toMatchObject({
      status: 0,
      output: '',
      messages: expect.stringMatching(new RegExp(`, until \\S+; it is in ${file}\n$`)),
    });
    expect(readFileSync(file, 'utf8')).toMatch(/^plm_\S+\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await create('*')).toMatchObject({
      status: 2,
      messages: expect.stringContaining('kept: it is there already'),
    });
  });

  it('says of a policy that was never scaled that its count has not changed', async () => {
    expect(await plimsoll('history', 'shop/cart')).toMatchObject({
      status: 0,
      output: 'the count of shop/cart has not changed yet\n',
    });
  });

  it('obeys nothing that others wrote, and lets it add no lines', async () => {
    const hidden = 'Nine\u001b[8m are many';
    application.repository.commit(hidden, {
      'cart.yaml': policy.replace('maxReplicas: 9', 'maxReplicas: 8'),
    });
    const reason = 'x\n\ncommit    a1b2c3d Raise it (Ada)\u001b[8m';
    await plimsoll('suspend', 'shop/cart', '--for', '5m', '--reason', reason);
    const commands = [
      ['sync', 'policies'],
      ['why', 'shop/cart'],
      ['blame', 'shop/cart'],
      ['changes', 'shop/cart'],
      ['get', 'revisions', '--source', 'policies'],
      ['get', 'interventions'],
      ['get', 'audit-entries'],
      ['get', 'decisions'],
    ];
    await plimsoll('sync', 'policies');
    await soon('a decision by that commit', async () =>
      (await plimsoll('why', 'shop/cart')).output.includes('are many') ? true : undefined,
    );
    for (const command of commands) {
      const { output, messages } = await plimsoll(...command);
      expect({ command, text: `${output}${messages}` }).toMatchObject({
        text: expect.not.stringMatching(/\u001b|^commit {4}a1b2c3d/m),
      });
    }
    expect((await plimsoll('why', 'shop/cart')).output).toContain(String.raw`Nine\u001b[8m are many`);
  });

  it('tells the history of a policy that has left, and how it left', async () => {
    const wish = policy.replaceAll('cart', 'wish');
    application.repository.commit('Wish', { 'wish.yaml': wish });
    expect((await plimsoll('sync', 'policies')).output).toContain('policies: active');
    expect(await plimsoll('history', 'shop/wish')).toMatchObject({ status: 0, messages: '' });
    const removed = application.repository.commit('Wish no more', { 'wish.yaml': null });
    await plimsoll('sync', 'policies');
    // Later commits remove nothing more.
    application.repository.commit('Say so', { 'README.md': 'No wishes\n' });
    await plimsoll('sync', 'policies');
    expect(await plimsoll('history', 'shop/wish')).toEqual({
      status: 0,
      output: 'the count of shop/wish has not changed yet\n',
      messages: expect.stringMatching(
        new RegExp(
          String.raw`^plimsoll: shop/wish has left: Pruned at \d{4}-\S+Z by ${removed.slice(0, 12)} Alex Example <alex@example\.com>\n$`,
        ),
      ),
    });
    const { output } = await plimsoll('changes', 'shop/wish');
    expect(output).toMatch(/^FROM +UNTIL +DEPARTURE +REMOVED BY +LET IN BY +COMMIT /);
    expect(output).toContain(` Pruned     ${removed.slice(0, 12)} Alex Example`);
    const scaled = ['--policy', 'shop/wish', '--kind', 'ScalingEvent'];
    expect(await plimsoll('get', 'audit-entries', ...scaled)).toMatchObject({
      status: 0,
      output: 'no audit entries of shop/wish\n',
    });
    const operated = ['--policy', 'shop/wish', '--kind', 'OperatorAction'];
    expect(await plimsoll('get', 'audit-entries', ...operated)).toMatchObject({
      status: 0,
      // Done to every policy, and so to this one.
      output: expect.stringContaining('scope Cluster'),
    });
    const never = ['--policy', 'shop/none', '--kind', 'OperatorAction'];
    expect(await plimsoll('get', 'audit-entries', ...never)).toMatchObject({
      status: 1,
      messages: expect.stringContaining('UnknownPolicy'),
    });
  });

  it('says in words that one process has no use for another number of shards', async () => {
    expect(await plimsoll('reshard', '32', '--dry-run')).toEqual({
      status: 1,
      output: '',
      messages:
        'plimsoll: NotShared: one process carries all shards out (the database is SQLite), however many there are; nothing would change\n',
    });
  });

  it.each([
    { operands: ['history', 'shop/none'], status: 1, says: 'no policy shop/none is or was in force' },
    { operands: ['changes', 'shop/none'], status: 1, says: 'no policy shop/none is or was in force' },
    { operands: ['token', 'create', 'x', ...tokenTerms], status: 2, says: 'wants --role' },
    {
      operands: ['token', 'create', 'x', ...tokenTerms, '--role', 'viewer'],
      status: 2,
      says: 'wants --namespace',
    },
    { operands: ['token', 'create', 'x', '--namespace', 'shop'], status: 2, says: 'wants --role before it' },
    {
      operands: ['token', 'create', 'x', ...tokenTerms, '--role', 'king', '--namespace', '*'],
      status: 2,
      says: 'it wants one of viewer',
    },
    { operands: ['get', '--kind', 'Nothing'], status: 2, says: 'it wants one of Decision' },
    { operands: ['why', 'shop/none'], status: 1, says: 'plimsoll: UnknownPolicy' },
    { operands: ['reshard', 'many', '--dry-run'], status: 2, says: '"many" is no number of shards' },
    { operands: ['reshard', '65', '--dry-run'], status: 2, says: 'COUNT is 65; it is 1 to 64' },
    { operands: ['what-if', 'shop/none'], status: 1, says: 'plimsoll: UnknownPolicy' },
    {
      operands: ['what-if', 'shop/cart', '--max', 'many'],
      status: 2,
      says: '"many", which is no count of replicas',
    },
    { operands: ['get', 'flapping', '--state', 'Short'], status: 2, says: 'are not narrowed by --state' },
    { operands: ['why', 'cart'], status: 2, says: 'NAMESPACE/NAME' },
    { operands: ['get', 'pods'], status: 2, says: 'it wants one of policies' },
    { operands: ['get', '--context', 'other'], status: 2, says: 'no context is named' },
    { operands: ['suspend', '--reason', 'x'], status: 2, says: 'name one of' },
    {
      operands: ['rollback', 'policies', 'x', '--reason', 'x'],
      status: 2,
      says: 'COMMIT is "x"; it wants the whole name, or at least 7 of its first digits: ',
    },
    { operands: ['suspend', 'shop/cart'], status: 2, says: '; --reason SENTENCE gives it' },
    {
      operands: ['suspend', 'shop/cart', '--reason', 'x', '--for', '90d'],
      status: 2,
      says: 'BadExpiry: --for is "90d"; it wants at most 1d (',
    },
    { operands: ['sync', 'none'], status: 1, says: '; "plimsoll get sources" lists them' },
    {
      operands: ['what-if', 'shop/cart', '--min', '9999'],
      status: 1,
      says: '--min and --max are the bounds',
    },
  ])('$operands ends with $status', async ({ operands, status, says }) => {
    expect(await plimsoll(...operands)).toMatchObject({ status, messages: expect.stringContaining(says) });
  });
});
