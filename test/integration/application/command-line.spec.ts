import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { soon } from '../../e2e/support/soon.ts';
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

  const plimsoll = (...operands: readonly string[]) =>
    new Promise<{ readonly status: number | null; readonly output: string; readonly messages: string }>(
      (resolve) => {
        const script = `import(${JSON.stringify(program)}).then(({ main }) => main(['node', 'plimsoll', ...process.argv.slice(1)]))`;
        const options = ['--conditions=source', '--input-type=module', '--eval', script, '--', ...operands];
        const env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder };
        const child = spawn(process.execPath, options, { env, stdio: ['ignore', 'pipe', 'pipe'] });
        const text = { output: '', messages: '' };
        child.stdout.on('data', (chunk: Buffer) => (text.output += chunk.toString()));
        child.stderr.on('data', (chunk: Buffer) => (text.messages += chunk.toString()));
        child.on('close', (status) => resolve({ status, ...text }));
      },
    );

  it('wants a login first, and keeps it for its owner only', async () => {
    expect(await plimsoll('get')).toMatchObject({
      status: 2,
      messages: expect.stringContaining('plimsoll login'),
    });
    const login = ['login', '--server', application.url(), '--token-file', join(folder, 'token')];
    expect(await plimsoll(...login)).toMatchObject({ status: 0 });
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

  it('says what an action would do, does it, and ends it', async () => {
    const suspend = ['suspend', 'shop/cart', '--direction', 'Down', '--for', '30m'];
    const rehearsed = await plimsoll(...suspend, '--dry-run');
    expect(rehearsed.output).toContain('no scaling down of shop/cart until');
    expect((await plimsoll('get', 'interventions', '-o', 'json')).output).toBe('[]\n');
    const begun = await plimsoll(...suspend, '--reason', 'a test', '-o', 'json');
    const { id } = JSON.parse(begun.output) as { readonly id: string };
    expect(await plimsoll('unsuspend', id, '--reason', 'over')).toMatchObject({
      status: 0,
      output: `Suspend ${id} has ended\n`,
    });
  });

  it.each([
    { operands: ['why', 'shop/none'], status: 1, says: 'plimsoll: UnknownPolicy' },
    { operands: ['why', 'cart'], status: 2, says: 'NAMESPACE/NAME' },
    { operands: ['get', 'pods'], status: 2, says: 'none of policies' },
    { operands: ['get', '--context', 'other'], status: 2, says: 'no context is named' },
    { operands: ['suspend', '--reason', 'x'], status: 2, says: 'name one of' },
    { operands: ['rollback', 'policies', 'x', '--reason', 'x'], status: 1, says: 'BadArgument' },
  ])('$operands ends with $status', async ({ operands, status, says }) => {
    expect(await plimsoll(...operands)).toMatchObject({ status, messages: expect.stringContaining(says) });
  });
});
