import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { commandLineEnvironment } from '../support/command-line-environment.ts';
import { testToken } from './support/controller-process.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(120_000);

const program = join(import.meta.dirname, '..', '..', 'apps', 'cli', 'bin', 'plimsoll.js');
const upTo = (count: number) => ({
  'shop/checkout.yaml': policyText.replace('maxReplicas: 12', `maxReplicas: ${count}`),
});

interface Run {
  readonly status: number;
  readonly output: string;
  readonly messages: string;
}

describe('the built command line, asking the built controller', () => {
  let world: ShopWorld;
  beforeEach(async () => {
    world = await startShopWorld();
  });
  afterEach(() => world.stop());

  const plimsoll = (...operands: readonly string[]): Promise<Run> =>
    new Promise((resolve) => {
      const env = commandLineEnvironment(world.folder);
      const child = execFile(process.execPath, [program, ...operands], { env }, (_, output, messages) =>
        resolve({ status: child.exitCode ?? -1, output, messages }),
      );
    });
  const json = async <T>(...operands: readonly string[]): Promise<T> =>
    JSON.parse((await plimsoll(...operands, '-o', 'json')).output) as T;
  const maximum = async (): Promise<number | undefined> =>
    (await json<readonly { readonly maxReplicas: number }[]>('get'))[0]?.maxReplicas;
  const digest = async (): Promise<string> => {
    const [hold] = await json<readonly { readonly digest: string }[]>('get', 'holds');
    return hold?.digest ?? 'none';
  };
  const begin = async (): Promise<void> => {
    const source = {
      name: 'policies',
      url: world.repository.url,
      interval: '1h',
      unknownApprovers: 'Allowed',
    };
    const controller = await world.startController({ sources: [source] });
    await writeFile(join(world.folder, 'token'), testToken);
    const login = await plimsoll(
      ...['login', '--server', controller.url, '--token-file', join(world.folder, 'token')],
    );
    expect(login).toMatchObject({
      status: 0,
      messages: expect.stringContaining('end-to-end: admin everywhere'),
    });
  };
  const why = ['--reason', 'a test'];

  it('syncs, approves, rejects, rolls back and resumes', async () => {
    world.repository.commit('Add checkout policy', upTo(9));
    await begin();
    const first = world.repository.commit('Allow ten', upTo(10));
    expect(await plimsoll('sync', 'policies')).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^policies: active/),
      messages: '',
    });
    expect(await maximum()).toBe(10);

    world.repository.rewrite('Rewrite history', upTo(11));
    expect((await plimsoll('sync', 'policies')).output).toMatch(/^policies: held/);
    expect((await plimsoll('get', 'holds')).output).toContain(await digest());
    expect(await plimsoll('approve', 'policies', await digest(), ...why)).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^policies: active/),
    });
    expect(await maximum()).toBe(11);

    world.repository.rewrite('Rewrite it again', upTo(12));
    await plimsoll('sync', 'policies');
    expect(await plimsoll('reject', 'policies', await digest(), ...why)).toEqual({
      status: 0,
      output: 'rejected: what is in force stays\n',
      messages: '',
    });
    expect(await maximum()).toBe(11);

    expect((await plimsoll('get', 'revisions', '--source', 'policies')).output).toMatch(
      new RegExp(`^[^ ]+ +active +${first} +[^\\n]* Allow ten `, 'm'),
    );
    expect(await plimsoll('rollback', 'policies', first, ...why)).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^policies: active/),
    });
    expect(await maximum()).toBe(10);
    expect((await plimsoll('get', 'sources')).output).toMatch(
      new RegExp(`\npolicies +refs/heads/main +${first.slice(0, 12)} +${first.slice(0, 12)} `),
    );
    expect(await plimsoll('resume', 'source', 'policies', ...why)).toMatchObject({ status: 0, messages: '' });
    expect((await plimsoll('get', 'sources')).output).toMatch(
      new RegExp(`\npolicies +refs/heads/main +[0-9a-f]{12} +- `),
    );
  });

  it('prints the changes of a count, why, and what stands behind it', async () => {
    const subject = 'Add checkout policy (#7)';
    const hash = world.repository.commit(subject, { 'shop/checkout.yaml': policyText });
    await begin();
    const load = { app: { cpu: { kind: 'Constant', value: 1_660 }, share: 'Total' } } as const;
    world.simulator.load.setWorkload({ namespace: 'shop', kind: 'Deployment', name: 'checkout' }, load);
    const history = await soon('a change of the count', async () => {
      const { output } = await plimsoll('history', 'shop/checkout');
      return output.startsWith('TIME') ? output : undefined;
    });
    expect(history).toMatch(
      new RegExp(`^TIME[^\n]+\n\\S+ +4 +6 +Plimsoll +${hash.slice(0, 12)} +cpu resource`),
    );
    expect((await plimsoll('why', 'shop/checkout')).output).toContain(
      `commit    ${hash.slice(0, 12)} Add checkout`,
    );
    const blame = await soon('who allowed it', async () => {
      const { output } = await plimsoll('blame', 'shop/checkout');
      return output.includes('pull request') ? output : undefined;
    });
    expect(blame).toContain('shop/checkout.yaml:');
    const allowed = 'pull request  #7, as the commit message says';
    expect(blame).toContain(allowed);
    expect((await plimsoll('why', 'shop/checkout')).output).toContain(allowed);
    expect((await plimsoll('changes', 'shop/checkout')).output).toContain(hash.slice(0, 12));
  });
});
