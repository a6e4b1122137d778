import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createCertificateAuthority } from '../../../../test/control-plane/pki/certificate-authority.ts';
import { FakeTiming } from '../time/timing.fake.ts';
import { type KubeConnection, openConnection } from './kube-connection.ts';

function kubeconfig(server: string): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { username: 'ada', password: 'lovelace' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

describe('openConnection', () => {
  it('reads the credentials of the context', async () => {
    const connection = openConnection({
      kind: 'Explicit',
      kubeconfig: kubeconfig('https://api.example:6443/'),
    });
    expect(connection.server).toBe('https://api.example:6443');
    const { headers, secrets } = await connection.credentials();
    expect(headers).toEqual({ Authorization: `Basic ${btoa('ada:lovelace')}` });
    expect(secrets).toContain(btoa('ada:lovelace'));
    await connection.close();
  });

  it.each([
    {
      name: 'a file that is not there',
      source: { kind: 'Kubeconfig', path: '/nonexistent/config' } as const,
      want: 'kubeconfig /nonexistent/config: no such file or folder',
    },
    {
      name: 'text that is no kubeconfig',
      source: { kind: 'Explicit', kubeconfig: ': [' } as const,
      want: '',
    },
    { name: 'a pod that this is not', source: { kind: 'InCluster' } as const, want: 'not in a pod' },
    {
      name: 'http beyond loopback',
      source: { kind: 'Explicit', kubeconfig: kubeconfig('http://api.example') } as const,
      want: 'in the clear',
    },
  ])('refuses $name', ({ source, want }) => {
    expect(() => openConnection(source)).toThrow(
      expect.objectContaining({ code: 'InvalidKubeconfig', message: expect.stringContaining(want) }),
    );
  });
});

function aClientCertificate(): { readonly certificate: string; readonly privateKey: string } {
  return createCertificateAuthority('Example').issue({ commonName: 'plimsoll' });
}

describe('credentials that are renewed on disk', () => {
  const lifetimeMilliseconds = 31_000;
  let folder: string;
  let path: string;
  let timing: FakeTiming;
  let connection: KubeConnection;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-kubeconfig-'));
    path = join(folder, 'config');
    timing = new FakeTiming();
  });

  afterEach(async () => {
    await connection.close();
    await rm(folder, { recursive: true });
  });

  it('are those of the kubeconfig as it is now', async () => {
    await write({ token: 'one' });
    connection = openConnection({ kind: 'Kubeconfig', path }, timing);
    expect(await authorization()).toBe('Bearer one');
    await write({ token: 'two' });
    expect(await authorization()).toBe('Bearer one');
    timing.advance(lifetimeMilliseconds);
    expect(await authorization()).toBe('Bearer two');
    await write({ token: 'three' });
    connection.refresh();
    expect(await authorization()).toBe('Bearer three');
  });

  it.each([
    { name: 'is half written', renew: () => writeFile(path, '{"clusters": [') },
    { name: 'was removed', renew: () => rm(path) },
    { name: 'names another server', renew: () => write({ token: 'two' }, 'https://other.example') },
  ])('stay those of before where the file $name', async ({ renew }) => {
    await write({ token: 'one' });
    connection = openConnection({ kind: 'Kubeconfig', path }, timing);
    await renew();
    timing.advance(lifetimeMilliseconds);
    expect(await authorization()).toBe('Bearer one');
    expect(connection.server).toBe('https://api.example');
  });

  it('are those of the token file', async () => {
    await write({ tokenFile: 'token' });
    await writeFile(join(folder, 'token'), 'one');
    connection = openConnection({ kind: 'Kubeconfig', path }, timing);
    expect(await authorization()).toBe('Bearer one');
    await writeFile(join(folder, 'token'), 'two');
    timing.advance(lifetimeMilliseconds);
    expect(await authorization()).toBe('Bearer two');
  });

  it.each([
    { name: 'is empty', renew: (file: string) => writeFile(file, '') },
    { name: 'is not there', renew: (file: string) => rm(file) },
  ])('stay those of before where the token file $name, until they are refused', async ({ renew }) => {
    await write({ tokenFile: 'token' });
    await writeFile(join(folder, 'token'), 'one');
    connection = openConnection({ kind: 'Kubeconfig', path }, timing);
    expect(await authorization()).toBe('Bearer one');
    await renew(join(folder, 'token'));
    timing.advance(lifetimeMilliseconds);
    expect(await authorization()).toBe('Bearer one');
    connection.refresh();
    await expect(authorization()).rejects.toMatchObject({ code: 'CredentialsUnavailable', retryable: true });
    await writeFile(join(folder, 'token'), 'two');
    expect(await authorization()).toBe('Bearer two');
  });

  it('are those of an auth-provider, which only client-node knows', async () => {
    const tokenFile = join(folder, 'token');
    await write({ 'auth-provider': { name: 'example', config: { tokenFile } } });
    await writeFile(tokenFile, 'one');
    connection = openConnection({ kind: 'Kubeconfig', path }, timing);
    expect(await authorization()).toBe('Bearer one');
  });

  it('say whom to act as, and leave out what is null', async () => {
    await write({ token: 'one', as: 'grace', username: null, 'client-key': null });
    connection = openConnection({ kind: 'Kubeconfig', path }, timing);
    const { headers } = await connection.credentials();
    expect(headers).toEqual({ Authorization: 'Bearer one', 'Impersonate-User': 'grace' });
  });

  it('are those of the certificate files, over connections of their own', async () => {
    await write({ 'client-certificate': join(folder, 'cert'), 'client-key': join(folder, 'key') });
    const [one, two] = [aClientCertificate(), aClientCertificate()];
    await writeFile(join(folder, 'cert'), one.certificate);
    await writeFile(join(folder, 'key'), one.privateKey);
    connection = openConnection({ kind: 'Kubeconfig', path }, timing);
    const { dispatcher } = await connection.credentials();
    const next = async (): Promise<unknown> => {
      timing.advance(lifetimeMilliseconds);
      return (await connection.credentials()).dispatcher;
    };
    expect(await next()).toBe(dispatcher);
    await writeFile(join(folder, 'cert'), two.certificate);
    expect(await next()).toBe(dispatcher);
    await writeFile(join(folder, 'key'), two.privateKey);
    expect(await next()).not.toBe(dispatcher);
  });

  it('are asked of the plugin again only where it is another one, or was refused', async () => {
    const file = join(folder, 'runs');
    const script = `require('node:fs').appendFileSync(${JSON.stringify(file)}, 'x');
      const token = String(require('node:fs').statSync(${JSON.stringify(file)}).size);
      console.log(JSON.stringify({ status: { token } }));`;
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', script],
    };
    await write({ exec });
    connection = openConnection({ kind: 'Kubeconfig', path }, timing);
    expect(await authorization()).toBe('Bearer 1');
    timing.advance(lifetimeMilliseconds);
    expect(await authorization()).toBe('Bearer 1');
    connection.refresh();
    expect(await authorization()).toBe('Bearer 2');
    await write({ exec: { ...exec, env: [{ name: 'A', value: 'b' }] } });
    timing.advance(lifetimeMilliseconds);
    expect(await authorization()).toBe('Bearer 3');
  });

  async function authorization(): Promise<string | undefined> {
    return (await connection.credentials()).headers['Authorization'];
  }

  async function write(user: object, server = 'https://api.example'): Promise<void> {
    const kubeconfig = {
      clusters: [{ name: 'c', cluster: { server } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    await writeFile(path, JSON.stringify(kubeconfig));
  }
});
