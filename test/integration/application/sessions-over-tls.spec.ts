import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Agent, request } from 'undici';
import { createCertificateAuthority } from '../../control-plane/pki/certificate-authority.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

const authority = createCertificateAuthority('the-authority');

describe('a session of a controller that speaks TLS', () => {
  let application: AnApplication;
  let dispatcher: Agent;
  beforeAll(async () => {
    application = await anApplication({
      configuration: (folder) => {
        const { certificate, privateKey } = authority.issue({ commonName: 'it', hosts: ['127.0.0.1'] });
        const tls = { certFile: join(folder, 'cert'), keyFile: join(folder, 'key') };
        writeFileSync(tls.certFile, certificate);
        writeFileSync(tls.keyFile, privateKey);
        return { listen: { port: 0, metricsPort: 0, tls } };
      },
    });
    await application.nest.init();
    dispatcher = new Agent({ connect: { ca: authority.certificate } });
  });
  afterAll(async () => {
    await dispatcher.close();
    await application.close();
  });

  const begin = (origin: string) =>
    request(`${application.url()}/auth/session`, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ token: application.tokens.viewer }),
    });
  const sessionOf = async (): Promise<string> => {
    const { statusCode, headers } = await begin(application.url());
    expect(statusCode).toBe(204);
    return String(headers['set-cookie']).split(';')[0] ?? '';
  };
  const statusOf = async (headers: Readonly<Record<string, string>>, method: 'GET' | 'POST' = 'GET') => {
    const path = method === 'GET' ? '/api/v1/me' : '/auth/logout';
    const { statusCode, body } = await request(`${application.url()}${path}`, {
      dispatcher,
      method,
      headers,
    });
    await body.dump();
    return statusCode;
  };

  it('is in a cookie that no other host and no http page can set', async () => {
    const cookie = await sessionOf();
    expect(cookie).toMatch(/^__Host-plimsoll-session=/);
    expect(await statusOf({ cookie })).toBe(200);
  });

  it('is not taken from the cookie of a name that a sibling host or an http page could set', async () => {
    const cookie = await sessionOf();
    const planted = cookie.replace('__Host-', '');
    expect(await statusOf({ cookie: planted })).toBe(401);
    expect(await statusOf({ cookie: `${planted}; __Host-plimsoll-session=x` })).toBe(401);
  });

  it('neither begins nor changes anything from a page of this host that came without TLS', async () => {
    const origin = application.url().replace('https:', 'http:');
    expect((await begin(origin)).statusCode).toBe(401);
    const cookie = await sessionOf();
    expect(await statusOf({ cookie, origin }, 'POST')).toBe(403);
    expect(await statusOf({ cookie, origin: application.url() }, 'POST')).toBe(204);
  });
});
