import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { logIn } from '../../../apps/cli/src/asking/log-in.ts';
import { ask } from '../../../apps/cli/src/server/api-client.ts';
import { type Context, loadContext } from '../../../apps/cli/src/server/contexts.ts';
import { aTerminal } from '../../../apps/cli/src/testing/run-cli.fixture.ts';
import { startOpenidProvider, type TestOpenidProvider } from '../../support/openid-provider.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

interface Contexts {
  readonly current: string;
  readonly contexts: Readonly<Record<string, Context>>;
}

describe('a sign-in by the device flow', () => {
  let provider: TestOpenidProvider;
  let application: AnApplication;
  let messages: string;
  beforeAll(async () => {
    provider = await startOpenidProvider(() => '');
    application = await anApplication({
      configuration: (folder) => ({
        auth: {
          oidc: {
            issuer: provider.issuer,
            clientId: 'plimsoll',
            clientSecretFile: join(folder, 'client-secret'),
            cliClientId: 'plimsoll-cli',
            grants: [{ group: 'sre', role: 'operator', namespaces: ['*'] }],
          },
        },
      }),
    });
    await writeFile(join(application.folder, 'client-secret'), 'a-secret-of-the-client\n');
    await application.nest.init();
  });
  afterAll(async () => {
    await application.close();
    await provider.stop();
  });
  beforeEach(async () => {
    messages = '';
    await rm(join(application.folder, 'plimsoll'), { recursive: true, force: true });
  });

  const file = () => join(application.folder, 'plimsoll', 'contexts.json');
  const environment = () => ({ XDG_CONFIG_HOME: application.folder });
  const kept = async () => JSON.parse(await readFile(file(), 'utf8')) as Contexts;
  const page = () => /or open (\S+),/.exec(messages)?.[1] ?? '';
  const waits: number[] = [];

  /** The person does something between one question and the next. */
  const logInWhile = async (steps: readonly (() => Promise<unknown>)[]) => {
    const [left, output] = [[...steps], new PassThrough()];
    output.on('data', (chunk: Buffer) => (messages += chunk.toString()));
    waits.length = 0;
    return logIn(
      { server: application.url(), context: 'prod' },
      { ...aTerminal(), messages: output, environment: environment() },
      {
        wait: async (seconds) => {
          waits.push(seconds);
          await left.shift()?.();
        },
      },
    );
  };
  const nothing = () => Promise.resolve();

  it('is what the controller tells everyone about', async () => {
    const answer = await fetch(`${application.url()}/auth/session`);
    expect(await answer.json()).toEqual({
      openId: false,
      device: {
        issuer: provider.issuer,
        clientId: 'plimsoll-cli',
        scopes: ['openid', 'email', 'profile'],
      },
      graphiql: false,
    });
  });

  it('keeps the token of a person who confirms it, which the controller believes', async () => {
    expect(await logInWhile([nothing, () => confirm(page(), 'ann')])).toBe(0);
    expect(waits).toEqual([5, 5]);
    expect(messages).toMatch(
      /^open http:\S+\/device in a browser, and enter the code [A-Z]{4}-[A-Z]{4}\nor open \S+, and compare the code\nlogged in as oidc:ann@example\.com: operator everywhere\ncontext prod is kept in /,
    );
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(await kept()).toEqual({
      current: 'prod',
      contexts: {
        prod: {
          server: application.url(),
          token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
          renewal: {
            issuer: provider.issuer,
            clientId: 'plimsoll-cli',
            refreshToken: expect.any(String),
            renewAt: expect.stringMatching(/Z$/),
          },
        },
      },
    });
  });

  it('is renewed once for all commands that run when it ends', async () => {
    await logInWhile([() => confirm(page(), 'ann')]);
    const before = await kept();
    const { prod } = before.contexts;
    const ended = { ...prod, renewal: { ...prod?.renewal, renewAt: '2020-01-01T00:00:00Z' } };
    await writeFile(file(), JSON.stringify({ ...before, contexts: { prod: ended } }));
    // The provider takes a refresh token once: a second renewal with it would end the sign-in.
    const callers = await Promise.all(
      [1, 2, 3].map(async () => ask(await loadContext(undefined, environment()), { path: '/me' })),
    );
    expect(callers).toEqual(Array(3).fill(expect.objectContaining({ name: 'oidc:ann@example.com' })));
    const after = (await kept()).contexts['prod'];
    expect(after?.renewal?.refreshToken).not.toBe(prod?.renewal?.refreshToken);
    expect((await stat(file())).mode & 0o777).toBe(0o600);

    const revoked = { ...after, renewal: { ...after?.renewal, renewAt: '', refreshToken: 'revoked' } };
    await writeFile(file(), JSON.stringify({ ...before, contexts: { prod: revoked } }));
    await expect(ask(await loadContext('prod', environment()), { path: '/me' })).rejects.toThrow(
      `the provider ${provider.issuer} refuses: invalid_grant, grant request is invalid: log in again`,
    );
  });

  it('is refused by the person who denies it', async () => {
    expect(await logInWhile([() => confirm(page(), 'ann', { abort: 'yes' })])).toBe(1);
    expect(messages).toMatch(/\nplimsoll: the sign-in was denied\n$/);
    await expect(kept()).rejects.toThrow('ENOENT');
  });

  it('ends with the code, which is not confirmed', async () => {
    expect(await logInWhile([])).toBe(1);
    expect(waits).toHaveLength(600 / 5);
    expect(messages).toMatch(/\nplimsoll: the code was not confirmed in time\n$/);
  });

  it('keeps no token of a person who may do nothing here', async () => {
    await expect(logInWhile([() => confirm(page(), 'bo')])).rejects.toThrow(
      `the OpenID provider has signed you in, but ${application.url()} does not let you in: none of the groups`,
    );
    await expect(kept()).rejects.toThrow('ENOENT');
  });
});

/** As a person does with a browser: the provider's own pages, to the last. */
async function confirm(
  start: string,
  login: string,
  answer: Readonly<Record<string, string>> = { confirm: 'yes' },
): Promise<void> {
  const cookies = new Map<string, string>();
  const visit = async (url: URL, form?: Readonly<Record<string, string>>): Promise<string> => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const text of response.headers.getSetCookie()) {
      const [pair = ''] = text.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const next = response.headers.get('location');
    if (next === null) return response.text();
    const place = new URL(next, url);
    if (!place.pathname.startsWith('/interaction/')) return visit(place);
    const asked = await visit(place);
    const prompt = asked.includes('name="login"')
      ? { prompt: 'login', login, password: 'x' }
      : { prompt: 'consent' };
    return visit(place, prompt);
  };
  const url = new URL(start);
  const device = new URL(url.pathname, url);
  const first = await visit(url);
  const hidden = { xsrf: /name="xsrf" value="([^"]+)"/.exec(first)?.[1] ?? '' };
  const code = { user_code: url.searchParams.get('user_code') ?? '' };
  await visit(device, { ...hidden, ...code });
  await visit(device, { ...hidden, ...code, ...answer });
}
