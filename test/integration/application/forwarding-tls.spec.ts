import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { RequestForwarding } from '../../../apps/controller/src/replicas/request-forwarding.ts';
import { createCertificateAuthority } from '../../control-plane/pki/certificate-authority.ts';

const authority = createCertificateAuthority('the replicas');
const { certificate: cert, privateKey: key } = authority.issue({
  commonName: 'leader',
  hosts: ['127.0.0.1'],
});

let folder: string;
let leader: Server;
let replica: FastifyInstance;
let logged: unknown[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-forwarding-'));
  leader = createServer({ cert, key }, (_request, reply) => reply.end('{"by":"leader"}'));
  await new Promise<void>((resolve) => leader.listen(0, '127.0.0.1', resolve));
  logged = [];
});
afterEach(async () => {
  await replica.close();
  leader.closeAllConnections();
  leader.close();
  await rm(folder, { recursive: true, force: true });
});

/** What a replica answers that sends a request on, as a caller who knows it by another name. */
async function forwarded(caFile?: string) {
  const { port } = leader.address() as AddressInfo;
  replica = Fastify();
  new RequestForwarding({
    leadership: {
      mode: 'Replicas',
      reason: null,
      isLeader: () => false,
      leaderUrl: () => Promise.resolve(`https://127.0.0.1:${port}`),
      replicas: () => [],
      takesShards: () => true,
      leaseHolders: () => null,
      modeOfHolder: () => null,
      carriedOutMilliseconds: () => null,
    },
    knownTexts: [],
    log: (fields) => void logged.push(fields),
    caFile,
  }).install(replica);
  replica.post('/api/v1/suspensions', () => Promise.resolve({ by: 'replica' }));
  const headers = { host: 'plimsoll.example' };
  return replica.inject({ method: 'POST', url: '/api/v1/suspensions', headers, payload: {} });
}

describe('a leader whose advertised URL is https://', () => {
  it('is trusted by coordination.caFile, whatever name the caller knows the replica by', async () => {
    const caFile = join(folder, 'ca.pem');
    await writeFile(caFile, authority.certificate);
    expect((await forwarded(caFile)).json()).toEqual({ by: 'leader' });
    expect(logged).toEqual([]);
  });

  it('is not trusted by another authority, and is told nothing', async () => {
    const caFile = join(folder, 'ca.pem');
    await writeFile(caFile, createCertificateAuthority('another').certificate);
    const answer = await forwarded(caFile);
    expect([answer.statusCode, answer.json()]).toMatchObject([503, { code: 'NoLeader' }]);
    expect(logged).toHaveLength(1);
  });

  it('is asked for nothing where the file cannot be read, which the log says', async () => {
    const answer = await forwarded(join(folder, 'missing.pem'));
    expect([answer.statusCode, answer.json()]).toMatchObject([503, { code: 'NoLeader' }]);
    expect(logged).toMatchObject([{ reason: expect.stringContaining('missing.pem') }]);
  });
});
