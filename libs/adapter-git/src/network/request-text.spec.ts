import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createProxyServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type CertificateRequest,
  createCertificateAuthority,
} from '../../../../test/control-plane/pki/certificate-authority.ts';
import { requestText } from './request-text.ts';

const authority = createCertificateAuthority('an authority');
const other = createCertificateAuthority('another authority');
const ends: (() => void)[] = [];
let folder: string;
/** What a server was told. */
const told: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-request-'));
  await writeFile(fileOf('ca.pem'), authority.certificate);
  await writeFile(fileOf('other.pem'), other.certificate);
  await writeFile(fileOf('secret'), 'a secret\n');
});
afterAll(async () => {
  for (const end of ends) end();
  await rm(folder, { recursive: true });
});

function fileOf(name: string): string {
  return join(folder, name);
}

async function aServer(certificate: Partial<CertificateRequest> | null): Promise<string> {
  const { certificate: cert, privateKey: key } = authority.issue({
    commonName: 'receiver',
    hosts: ['127.0.0.1'],
    ...certificate,
  });
  const server = certificate === null ? createPlainServer() : createServer({ cert, key });
  server.on('request', (request, response) => {
    told.push(request.url ?? '');
    response.end('taken');
  });
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function post(url: string, caFile?: string): ReturnType<typeof requestText> {
  const authorities = caFile === undefined ? {} : { caFile: fileOf(caFile) };
  return requestText({ url, method: 'POST', headers: {}, body: 'secret', maximumBytes: 100, ...authorities });
}

it.each(['CERTIFICATE', 'X509 CERTIFICATE'])(
  'posts to a server whose authority is a %s of caFile',
  async (label) => {
    await writeFile(fileOf('named.pem'), authority.certificate.replaceAll(' CERTIFICATE', ` ${label}`));
    expect(await post(await aServer({}), 'named.pem')).toMatchObject({ status: 200, text: 'taken' });
    expect(told.splice(0)).toEqual(['/']);
  },
);

it.each<{
  name: string;
  certificate: Partial<CertificateRequest> | null;
  caFile?: string;
  code?: string;
  want: string;
}>([
  {
    name: 'of no authority that the system trusts',
    certificate: {},
    want: 'of no authority that is trusted; caFile names one',
  },
  {
    name: 'of another authority',
    certificate: {},
    caFile: 'other.pem',
    want: 'of no authority that is trusted',
  },
  {
    name: 'for another name',
    certificate: { hosts: ['10.0.0.1'] },
    caFile: 'ca.pem',
    want: "is for another name than the url's",
  },
  {
    name: 'that has expired',
    certificate: { isExpired: true },
    caFile: 'ca.pem',
    want: 'certificate has expired',
  },
  {
    name: 'that is none, since it speaks no TLS',
    certificate: null,
    caFile: 'ca.pem',
    want: 'no TLS is agreed on',
  },
  {
    name: 'where caFile holds none',
    certificate: {},
    caFile: 'secret',
    code: 'CredentialsInvalid',
    want: 'holds no certificate in PEM',
  },
  {
    name: 'where caFile is not there',
    certificate: {},
    caFile: 'gone.pem',
    code: 'CredentialsUnreadable',
    want: 'cannot be read',
  },
])(
  'tells a server nothing with a certificate $name, and says so',
  async ({ certificate, caFile, code, want }) => {
    await expect(post(await aServer(certificate), caFile)).rejects.toMatchObject({
      code: code ?? 'Unreachable',
      message: expect.stringContaining(want),
    });
    expect(told).toEqual([]);
  },
);

it.each([
  {
    name: 'is over where the server goes on with another protocol',
    answer: 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
    message: 'the server ended the connection, and gave no answer',
  },
  {
    name: 'says what it is where something else than HTTP answers',
    answer: 'SSH-2.0-OpenSSH_10.0\r\n',
    message: expect.stringMatching(/^what the server answers is no HTTP that can be read \(HPE_/),
  },
])('$name', async ({ answer, message }) => {
  const server = createPlainServer((_, response) => response.socket?.end(answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => server.close());
  await expect(post(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).rejects.toMatchObject({
    code: 'Unreachable',
    message,
    retryable: true,
  });
});

it.each([
  { name: 'hangs', answer: '' },
  { name: 'reaches a server that hangs', answer: 'HTTP/1.1 200 OK\r\n\r\n' },
])('is over, with its connection, where nobody waits for it while a proxy $name', async ({ answer }) => {
  const ending = new AbortController();
  const { promise: closed, resolve } = Promise.withResolvers<unknown>();
  const proxy = createProxyServer((connection) => {
    connection.on('error', resolve).on('close', resolve);
    connection.once('data', () => connection.write(answer, () => ending.abort()));
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  ends.push(() => proxy.close());
  await writeFile(fileOf('proxy'), `http://127.0.0.1:${(proxy.address() as AddressInfo).port}\n`);
  const request = { url: 'https://example.invalid/', method: 'GET', headers: {}, maximumBytes: 100 } as const;
  const asked = requestText({ ...request, proxyFile: fileOf('proxy'), signal: ending.signal });
  await expect(asked).rejects.toMatchObject({ code: 'Ended' });
  await closed;
});
