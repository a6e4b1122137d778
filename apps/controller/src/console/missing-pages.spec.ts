import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { BuiltConsole } from './built-console.ts';
import { isMissingPage, MissingPages } from './missing-pages.ts';

const ofBrowser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const problem = { status: 404, code: 'NotFound', detail: 'there is nothing at this path' };

describe('an address that there is nothing at', () => {
  let folder: string;
  const servers: FastifyInstance[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-console-'));
    await writeFile(join(folder, 'index.html'), 'the console');
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await rm(folder, { recursive: true, force: true });
  });

  const serverOf = (console: string): FastifyInstance => {
    const server = fastify();
    servers.push(server);
    const pages = new MissingPages(new BuiltConsole(console));
    server.addHook('onRequest', async (request, reply) => {
      void reply.header('is-missing-page', String(isMissingPage(request)));
      return request.is404 ? pages.send(request, reply, problem) : undefined;
    });
    server.get('/reports', () => 'a page');
    return server;
  };

  it.each([
    { name: 'a browser', url: '/polices/shop/checkout' },
    { name: 'a browser, of the head', url: '/polices', method: 'HEAD' },
    { name: 'a browser, with a query', url: '/nothing?api' },
    { name: 'a browser, of what only begins like the API', url: '/apis' },
  ] as const)('is answered to $name by the console', async ({ url, ...rest }) => {
    const answer = await serverOf(folder).inject({ url, headers: { accept: ofBrowser }, ...rest });
    expect([answer.statusCode, answer.headers['content-type'], answer.headers['is-missing-page']]).toEqual([
      404,
      'text/html; charset=utf-8',
      'true',
    ]);
    expect(answer.headers['content-security-policy']).toContain("script-src 'self'");
  });

  it.each([
    { name: 'a program', url: '/polices', accept: 'application/json' },
    { name: 'a program that takes anything', url: '/polices', accept: '*/*' },
    { name: 'a browser that posts', url: '/polices', method: 'POST' },
    { name: 'a browser, beneath the API', url: '/api/v1/nothing' },
    { name: 'a browser, of the API itself', url: '/api' },
    { name: 'a browser, of the API in capitals', url: '/API/v1/nothing' },
    { name: 'a browser, beneath GraphQL', url: '/graphql/nothing' },
    { name: 'a browser, of another way to sign in', url: '/auth/nothing' },
  ] as const)('is answered to $name as the API does', async ({ url, ...rest }) => {
    const { accept, method } = { accept: ofBrowser, method: 'GET', ...rest } as const;
    const answer = await serverOf(folder).inject({ url, method, headers: { accept } });
    expect([answer.statusCode, answer.headers['content-type'], answer.headers['is-missing-page']]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
      'false',
    ]);
    expect(answer.json()).toMatchObject(problem);
  });

  it('is answered as the API does where the console is not built', async () => {
    const answer = await serverOf(join(folder, 'nothing')).inject({
      url: '/polices',
      headers: { accept: ofBrowser },
    });
    expect([answer.statusCode, answer.json()]).toEqual([404, expect.objectContaining(problem)]);
  });

  it('is not where a page is', async () => {
    const answer = await serverOf(folder).inject({ url: '/reports', headers: { accept: ofBrowser } });
    expect([answer.body, answer.headers['is-missing-page']]).toEqual(['a page', 'false']);
  });
});
