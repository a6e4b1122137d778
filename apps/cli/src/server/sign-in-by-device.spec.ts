import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { answerWithoutEnd } from '../testing/endless-answer.fixture.ts';
import { signInByDevice } from './sign-in-by-device.ts';

/** What the provider answers: a status and a JSON value, a text as it is, nothing at all, or what never ends. */
type Answered = readonly [status: number, body: unknown] | 'Silence' | 'Endless';

const begun = {
  device_code: 'device',
  user_code: 'AB\u001B[2JCD',
  verification_uri: 'https://id.example/device',
  expires_in: 60,
  interval: 7,
};
const problem = (error: string, more: object = {}): Answered => [400, { error, ...more }];
const pending = problem('authorization_pending');

describe('a sign-in at a provider', () => {
  let server: Server;
  let issuer: string;
  let answers: { description?: Answered; device: Answered; metadata: object; token: Answered[] };
  let waits: number[];
  let said: string[];

  beforeEach(async () => {
    server = createServer((request, response) => {
      const answer = answerTo(request.url ?? '');
      if (answer === 'Silence') return void response.destroy();
      if (answer === 'Endless') {
        answerWithoutEnd(response, 200);
        return;
      }
      const [status, body] = answer;
      response.writeHead(status, {
        'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
      });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
      return undefined;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    answers = { device: [200, begun], metadata: {}, token: [] };
    [waits, said] = [[], []];
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  function answerTo(url: string): Answered {
    if (url === '/device') return answers.device;
    if (url === '/token') return answers.token.shift() ?? pending;
    if (answers.description !== undefined) return answers.description;
    const places = { token_endpoint: `${issuer}/token`, device_authorization_endpoint: `${issuer}/device` };
    return [200, { issuer, ...places, ...answers.metadata }];
  }
  const idToken = (): string => {
    const [header, claims] = [{ alg: 'RS256' }, { iss: issuer, aud: 'cli', sub: 'ann' }].map((part) =>
      Buffer.from(JSON.stringify({ ...part, iat: now(), exp: now() + 300 })).toString('base64url'),
    );
    return `${header ?? ''}.${claims ?? ''}.c2ln`;
  };
  const now = () => Math.floor(Date.now() / 1_000);
  const granted = (more: object = {}): Answered => [
    200,
    { access_token: 'x', token_type: 'bearer', id_token: idToken(), ...more },
  ];
  const signIn = (given: { readonly issuer?: string } = {}) =>
    signInByDevice(
      { issuer: given.issuer ?? issuer, clientId: 'cli', scopes: ['openid'] },
      { say: (line) => said.push(line), wait: (seconds) => Promise.resolve(waits.push(seconds)) },
    );

  it('asks at the interval of the provider, slower where it says so or does not answer', async () => {
    answers.token = [pending, problem('slow_down'), pending, 'Silence', granted()];
    const { token, renewal } = await signIn();
    expect(token.split('.')).toHaveLength(3);
    expect(renewal).toBeUndefined();
    expect(waits).toEqual([7, 7, 12, 12, 17]);
    expect(said).toEqual([
      String.raw`open https://id.example/device in a browser, and enter the code AB\u001b[2JCD`,
    ]);
  });

  it('renews a minute before the token ends, by the clock of the provider', async () => {
    answers.token = [granted({ refresh_token: 'r' })];
    const { renewal } = await signIn();
    expect(renewal).toMatchObject({ issuer, clientId: 'cli', refreshToken: 'r' });
    const left = (Date.parse(renewal?.renewAt ?? '') - Date.now()) / 1_000;
    expect(Math.round(left / 60)).toBe(4);
  });

  const over: readonly { name: string; token: Answered; want: string }[] = [
    { name: 'is denied', token: problem('access_denied'), want: 'the sign-in was denied' },
    { name: 'is over', token: problem('expired_token'), want: 'the code was not confirmed in time' },
    { name: 'is never confirmed', token: pending, want: 'the code was not confirmed in time' },
    {
      name: 'has an unknown client',
      token: problem('invalid_client', { error_description: 'no\nsuch \u001B[1mclient' }),
      want: String.raw`refuses: invalid_client, no such \u001b[1mclient`,
    },
    { name: 'is answered in HTML', token: [502, '<html>'], want: 'does not answer as an OpenID provider: ' },
    {
      name: 'is answered without an end',
      token: 'Endless',
      want: 'does not answer as an OpenID provider: the answer is too large',
    },
    { name: 'is redirected', token: [302, '<html>'], want: 'does not answer as an OpenID provider: ' },
    {
      name: 'has no ID token',
      token: [200, { access_token: 'x', token_type: 'bearer' }],
      want: 'gives no ID token; is openid among auth.oidc.scopes?',
    },
  ];
  it.each(over)('ends in one line where it $name', async ({ token, want }) => {
    answers.token = Array<Answered>(10).fill(token);
    const { message } = await failureOf(signIn());
    expect(message).toContain(want);
    expect(message).not.toMatch(/\p{Cc}/u);
  });

  it.each([
    {
      name: 'that knows no devices',
      change: () => {
        answers.metadata = { device_authorization_endpoint: undefined };
      },
      want: 'does not sign devices in: log in with --token-file',
    },
    {
      name: 'of another name',
      change: () => {
        answers.metadata = { issuer: 'https://evil.example' };
      },
      want: 'does not answer as an OpenID provider: ',
    },
    {
      name: 'that refuses the client',
      change: () => {
        answers.device = problem('unauthorized_client');
      },
      want: 'refuses: unauthorized_client',
    },
    {
      name: 'whose description has no end',
      change: () => {
        answers.description = 'Endless';
      },
      want: 'does not answer as an OpenID provider: the answer is too large',
    },
    {
      name: 'whose codes have no end',
      change: () => {
        answers.device = 'Endless';
      },
      want: 'does not answer as an OpenID provider: the answer is too large',
    },
    {
      name: 'that gives no code',
      change: () => {
        answers.device = [200, { ...begun, user_code: undefined }];
      },
      want: 'does not answer as an OpenID provider: ',
    },
  ])('says what is wrong with a provider $name', async ({ change, want }) => {
    change();
    expect((await failureOf(signIn())).message).toContain(want);
  });

  it.each(['http://id.example', 'ftp://id.example', 'id.example', ''])(
    'asks no provider at "%s"',
    async (bad) => {
      expect((await failureOf(signIn({ issuer: bad }))).message).toBe(
        `the provider ${bad} is not https://, or http:// on loopback`,
      );
    },
  );
});

async function failureOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error as Error,
  );
}
