import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { HttpAdapterHost } from '@nestjs/core';
import pino from 'pino';
import { Registry } from 'prom-client';
import { createHttpAdapter } from '../../../apps/controller/src/configure-application.ts';
import { HttpListener } from '../../../apps/controller/src/http/http-listener.ts';
import { loadTlsCertificate } from '../../../apps/controller/src/http/tls-files.ts';
import { registerTlsMetrics } from '../../../apps/controller/src/metrics/tls-metrics.ts';
import { createCertificateAuthority } from '../../control-plane/pki/certificate-authority.ts';

const authority = createCertificateAuthority('the-authority');
let folder: string;
let listener: HttpListener;
let lines: string[];
let now: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-tls-'));
  await issue('first');
  lines = [];
  now = await withinValidity();
  const tls = { certFile: join(folder, 'cert'), keyFile: join(folder, 'key') };
  const certificate = await loadTlsCertificate(tls);
  const httpAdapter = createHttpAdapter([], certificate);
  const clock = { now: () => now };
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const host = { httpAdapter } as unknown as HttpAdapterHost;
  listener = new HttpListener(host, { address: '127.0.0.1', port: 0, tls }, { logger, clock });
  listener.noteShown(certificate);
  await httpAdapter.getInstance().listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  await listener.close();
  await rm(folder, { recursive: true, force: true });
});

async function issue(commonName: string): Promise<void> {
  const { certificate, privateKey } = authority.issue({ commonName, hosts: ['127.0.0.1'] });
  await writeFile(join(folder, 'cert'), certificate);
  await writeFile(join(folder, 'key'), privateKey);
}

/** A time at which the certificate in the file is valid: it is issued by the machine's clock. */
async function withinValidity(): Promise<string> {
  const { validTo } = new X509Certificate(await readFile(join(folder, 'cert')));
  return new Date(Date.parse(validTo) - 60_000).toISOString();
}

/** The name in the certificate that a new connection is shown. */
async function shown(maxVersion: 'TLSv1.1' | 'TLSv1.3' = 'TLSv1.3'): Promise<string> {
  const { port } = new URL(listener.url);
  const options = { host: '127.0.0.1', port: Number(port), ca: authority.certificate };
  const socket = connect({ ...options, minVersion: 'TLSv1', maxVersion });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

it('shows a certificate that was rotated to new connections, and keeps the one before where it cannot be used', async () => {
  expect(listener.url).toMatch(/^https:/);
  expect(await shown()).toBe('first');
  await listener.reloadCertificate();
  await issue('second');
  await listener.reloadCertificate();
  expect(await shown()).toBe('second');
  const { privateKey } = authority.issue({ commonName: 'other' });
  await writeFile(join(folder, 'key'), privateKey);
  await listener.reloadCertificate();
  expect(await shown()).toBe('second');
  await listener.reloadCertificate();
  const [certFile, keyFile] = [join(folder, 'cert'), join(folder, 'key')];
  expect(listener.unusableCertificate).toEqual({
    since: now,
    message: expect.stringMatching(
      `^listen\\.tls\\.certFile ${certFile} and listen\\.tls\\.keyFile ${keyFile}: .*key values mismatch`,
    ),
  });

  await issue('third');
  await listener.reloadCertificate();
  expect(listener.unusableCertificate).toBeNull();
  expect(await shown()).toBe('third');
  const taken = { level: 30, msg: 'the certificate in the files is shown to new connections' };
  const refused = { level: 40, msg: 'the changed certificate cannot be used; the one before it stays' };
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    [taken, refused, taken].map((want) => expect.objectContaining({ ...want, certFile, keyFile })),
  );
});

it('tells of a certificate that was rotated before the first look, and until when the one that is shown is valid', async () => {
  const expiry = async (): Promise<number> => {
    const { validTo } = new X509Certificate(await readFile(join(folder, 'cert')));
    return Date.parse(validTo) / 1_000;
  };
  expect(listener.certificateExpiresAt).toBe(await expiry());
  const registry = new Registry();
  registerTlsMetrics(registry, listener);
  expect(await registry.metrics()).toContain(
    `plimsoll_tls_certificate_expiration_timestamp_seconds ${await expiry()}\n`,
  );
  await issue('second');
  await listener.reloadCertificate();
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ msg: 'the certificate in the files is shown to new connections' }),
  ]);
  expect(listener.certificateExpiresAt).toBe(await expiry());
});

it('tells once that the certificate which is shown has expired, until there is another one', async () => {
  const expiry = (listener.certificateExpiresAt ?? 0) * 1_000;
  now = new Date(expiry - 1_000).toISOString();
  await listener.reloadCertificate();
  expect([listener.unusableCertificate, lines]).toEqual([null, []]);

  now = new Date(expiry + 1_000).toISOString();
  await listener.reloadCertificate();
  await listener.reloadCertificate();
  const since = new Date(expiry).toISOString();
  expect(listener.unusableCertificate).toEqual({
    since,
    message: `listen.tls.certFile ${join(folder, 'cert')}: the certificate expired at ${since}`,
  });
  // The files are as they were.
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: 40, msg: 'the certificate that is shown is not valid now', since }),
  ]);

  await issue('another');
  now = await withinValidity();
  await listener.reloadCertificate();
  expect(listener.unusableCertificate).toBeNull();
});

it('tells once that the certificate which is shown is not valid yet, until it is', async () => {
  const { validFrom } = new X509Certificate(await readFile(join(folder, 'cert')));
  const begin = Date.parse(validFrom);
  now = new Date(begin - 60_000).toISOString();
  const since = now;
  await listener.reloadCertificate();
  now = new Date(begin - 1_000).toISOString();
  await listener.reloadCertificate();
  expect(listener.unusableCertificate).toEqual({
    since,
    message: `listen.tls.certFile ${join(folder, 'cert')}: the certificate is not valid before ${new Date(begin).toISOString()}`,
  });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: 40, msg: 'the certificate that is shown is not valid now', since }),
  ]);

  now = new Date(begin).toISOString();
  await listener.reloadCertificate();
  expect(listener.unusableCertificate).toBeNull();
});

it('speaks no version before 1.2', async () => {
  await expect(shown('TLSv1.1')).rejects.toThrow();
});

it('cuts off who connects and begins no handshake', async () => {
  const silent = connectPlain(Number(new URL(listener.url).port), '127.0.0.1').resume();
  await once(silent, 'close');
}, 60_000);
