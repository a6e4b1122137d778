import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

describe('a session of a token', () => {
  let application: AnApplication;
  beforeAll(async () => {
    application = await anApplication();
    await application.nest.init();
  });
  afterAll(() => application.close());

  const begin = (token: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${application.url()}/auth/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: application.url(), ...headers },
      body: JSON.stringify({ token }),
    });
  const cookieOf = (answer: Response): string => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const ask = (headers: Readonly<Record<string, string>>, path = '/api/v1/me', method = 'GET') =>
    fetch(`${application.url()}${path}`, { method, headers });

  it('begins with a valid token, in a cookie that scripts cannot read, and reads as the token does', async () => {
    const answer = await begin(application.tokens.viewer);
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^plimsoll-session=[\w.-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/),
    ]);
    expect(cookieOf(answer)).not.toContain(application.tokens.viewer);
    const me = await ask({ cookie: cookieOf(answer) });
    expect(await me.json()).toMatchObject({ name: 'the-viewer' });
  });

  it('is kept for encrypted connections where the browser came by one', async () => {
    const url = new URL(application.url());
    const answer = await begin(application.tokens.viewer, { origin: `https://${url.host}` });
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-plimsoll-session=.*; Secure$/);
    expect((await ask({ cookie: cookieOf(answer) })).status).toBe(200);
  });

  it.each([
    { name: 'with another token', token: 'plm_other', headers: {} },
    { name: 'from a page of another origin', token: undefined, headers: { origin: 'https://evil.example' } },
    { name: 'from a page of another port', token: undefined, headers: { origin: 'http://127.0.0.1:1' } },
  ])('does not begin $name', async ({ token, headers }) => {
    const answer = await begin(token ?? application.tokens.admin, headers);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
  });

  it.each(['', '"x"', '{}', '{"token": 1}', '{"token": "a", "more": 1}'])(
    'does not begin with the body %s',
    async (body) => {
      const headers = { 'content-type': 'application/json', origin: application.url() };
      const answer = await fetch(`${application.url()}/auth/session`, { method: 'POST', headers, body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    },
  );

  it('changes something from pages of this server only', async () => {
    const cookie = cookieOf(await begin(application.tokens.operator));
    const send = async (origin: Readonly<Record<string, string>>): Promise<number> => {
      const answer = await fetch(`${application.url()}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, ...origin },
        body: '{"query":"{ degraded { what } }"}',
      });
      return answer.status;
    };
    expect(await send({ origin: application.url() })).toBe(200);
    expect(await send({ origin: 'https://evil.example' })).toBe(403);
    expect(await send({})).toBe(403);
  });

  it('ends with the token, at once', async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const made = await application.ask(
      `mutation { createToken(name: "s", grants: [{role: viewer, namespaces: ["*"]}], expires: "${expires}", reason: "r") { ... on CreatedToken { secret token { id } } } }`,
    );
    const { secret, token } = (made.body.data as { createToken: { secret: string; token: { id: string } } })
      .createToken;
    const cookie = cookieOf(await begin(secret));
    expect((await ask({ cookie })).status).toBe(200);
    await application.ask(`mutation { revokeToken(id: "${token.id}", reason: "r") { ... on Token { id } } }`);
    expect((await ask({ cookie })).status).toBe(401);
  });

  it('is ended in the browser by signing out', async () => {
    const cookie = cookieOf(await begin(application.tokens.viewer));
    const answer = await ask({ cookie, origin: application.url() }, '/auth/logout', 'POST');
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^plimsoll-session=; .*Max-Age=0/),
      expect.stringMatching(/^__Host-plimsoll-session=; .*Max-Age=0/),
    ]);
  });

  it('the sign-in page is told what it may offer', async () => {
    expect(await (await ask({}, '/auth/session')).json()).toEqual({
      openId: false,
      device: null,
      graphiql: false,
    });
  });
});
