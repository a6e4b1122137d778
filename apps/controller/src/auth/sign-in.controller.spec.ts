import { expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerAuthenticator } from './caller-authenticator.ts';
import { KubernetesAuthenticator } from './kubernetes-authenticator.ts';
import { RequestLimits } from './request-limits.ts';
import { SealedCookies } from './sessions.ts';
import { SignInController } from './sign-in.controller.ts';
import { TokenAuthenticator } from './token-authenticator.ts';
import { TokenSessions } from './token-sessions.ts';

it('has the cluster asked about no token of an address whose tokens were refused', async () => {
  let reviews = 0;
  const kubernetes = new KubernetesAuthenticator({
    reviews: {
      userOf: () => {
        reviews += 1;
        return Promise.resolve(null);
      },
      isAllowed: () => Promise.resolve(false),
    },
    audiences: [],
    namespaces: () => [],
  });
  const sessions = new TokenSessions({
    authenticator: new CallerAuthenticator({ tokens: new TokenAuthenticator([]), kubernetes }),
    cookies: new SealedCookies(() => Promise.resolve(undefined)),
    hours: 1,
  });
  const limits = new RequestLimits({ onFailure: () => undefined, wait: () => Promise.resolve() });
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
  expect(reviews).toBe(11);
  expect(codes).toEqual(Array.from({ length: 9 }, () => 'TooManyFailures'));
});
