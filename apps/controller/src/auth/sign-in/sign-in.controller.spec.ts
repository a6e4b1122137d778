import { expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdapterError } from '#kernel';
import { CallerAuthenticator } from '../gate/caller-authenticator.ts';
import { KubernetesAuthenticator } from '../identities/kubernetes-authenticator.ts';
import { SealedCookies } from '../identities/sessions.ts';
import { TokenAuthenticator } from '../identities/token-authenticator.ts';
import { RequestLimits } from '../limits/request-limits.ts';
import { SignInController } from './sign-in.controller.ts';
import { TokenSessions } from './token-sessions.ts';

/** Signs in with twenty guesses; returns how many the API server was asked about, and what the failures were. */
async function guess(userOf: () => Promise<null>) {
  let reviews = 0;
  let failures = 0;
  const kubernetes = new KubernetesAuthenticator({
    reviews: {
      userOf: () => {
        reviews += 1;
        return userOf();
      },
      isAllowed: () => Promise.resolve(false),
    },
    audiences: [],
    namespaces: () => [],
  });
  const sessions = new TokenSessions({
    authenticator: new CallerAuthenticator({ tokens: new TokenAuthenticator([]), kubernetes }),
    cookies: new SealedCookies({
      loadSecret: () => Promise.resolve(undefined),
      onUnreadable: () => undefined,
    }),
    hours: 1,
    isEncrypted: false,
  });
  const limits = new RequestLimits({ onFailure: () => (failures += 1), wait: () => Promise.resolve() });
  const controller = new SignInController(null, sessions, limits);
  const headers = { host: 'localhost', origin: 'http://localhost' };
  const request = { ip: '192.0.2.7', protocol: 'http', headers } as FastifyRequest;
  const reply = { header: () => reply, code: () => reply, type: () => reply, send: () => reply };
  const codes: unknown[] = [];
  for (let time = 0; time < 20; time += 1) {
    await controller
      .begin({ token: `e30.guess${time}.x` }, request, reply as unknown as FastifyReply)
      .catch((error: unknown) => codes.push((error as { problem: { code: string } }).problem.code));
  }
  return { reviews, failures, codes };
}

it('has the cluster asked about no token of an address whose tokens were refused', async () => {
  const codes = Array.from({ length: 9 }, () => 'TooManyFailures');
  expect(await guess(() => Promise.resolve(null))).toEqual({ reviews: 11, failures: 11, codes });
});

it('says of no token that it is wrong, and counts none as a failure, while the API server is away', async () => {
  const away = new AdapterError({ code: 'NotConnected', message: 'away', retryable: true });
  const codes = Array.from({ length: 20 }, () => 'Unavailable');
  expect(await guess(() => Promise.reject(away))).toEqual({ reviews: 3, failures: 0, codes });
});
