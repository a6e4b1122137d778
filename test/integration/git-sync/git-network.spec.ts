import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createForge, GitAdapter } from '#adapter-git';
import type { ForgePort, GitCredentials, GitRepositoryPort } from '#git-sync';
import { shownSecrets, showsProcesses } from '../../support/shown-secrets.ts';
import { ConnectProxy } from './support/connect-proxy.ts';
import { HttpGitServer } from './support/http-git-server.ts';
import { temporaryFolder, TemporaryRepository } from './support/temporary-repository.ts';

const limits = { bytes: 64 * 1024 * 1024, milliseconds: 20_000 };
const hash = 'a'.repeat(40);

function network(): void {
  let folder: string;
  let origin: TemporaryRepository;
  let git: HttpGitServer;
  let forgeServer: Server;
  let proxy: ConnectProxy;
  let gitUrl: string;
  let proxyAddress: string;
  let head: string;
  let seen: (string | undefined)[];

  beforeEach(async () => {
    folder = await temporaryFolder();
    makeCertificate(folder);
    const tls = {
      key: await readFile(join(folder, 'key.pem'), 'utf8'),
      cert: await readFile(join(folder, 'ca.pem'), 'utf8'),
    };
    origin = await TemporaryRepository.create();
    head = await origin.commit('One', { 'a.yaml': 'a\n' });
    git = new HttpGitServer(origin.folder, tls);
    gitUrl = await git.start();
    seen = [];
    forgeServer = createServer(tls, (request, response) => {
      seen.push(request.headers.authorization);
      response.end('[]');
    }).listen(0, '127.0.0.1');
    await once(forgeServer, 'listening');
    proxy = new ConnectProxy();
    proxy.credentials = 'corp:pr0xy-s3cret';
    proxyAddress = await proxy.start();
    await writeFile(join(folder, 'proxy'), `http://corp:pr0xy-s3cret@${proxyAddress}\n`);
    await writeFile(join(folder, 'token'), 'f0rge-token\n');
  });
  afterEach(async () => {
    forgeServer.closeAllConnections();
    forgeServer.close();
    await Promise.all([git.stop(), proxy.stop(), origin.remove()]);
  });

  const file = (name: string): string => join(folder, name);
  const open = async (credentials: GitCredentials): Promise<GitRepositoryPort> => {
    const adapter = await GitAdapter.create({ folder: file('git'), now: () => Date.now() });
    return adapter.open({ source: 'policies', url: gitUrl, ref: 'refs/heads/main', credentials });
  };
  const forgeWith = (files: { readonly caFile?: string; readonly proxyFile?: string }): ForgePort =>
    createForge({
      provider: 'github',
      apiUrl: `https://127.0.0.1:${(forgeServer.address() as AddressInfo).port}`,
      repository: 'acme/policies',
      tokenFile: file('token'),
      now: () => Date.now(),
      ...files,
    });

  it('trusts no authority but the configured one', async () => {
    await expect((await open({})).fetchHead(limits)).rejects.toMatchObject({ code: 'TlsFailed' });
    await expect(forgeWith({}).loadPullRequest(hash, 'main')).rejects.toMatchObject({ code: 'Unreachable' });
    expect(seen).toEqual([]);
    const caFile = file('ca.pem');
    await expect((await open({ caFile })).fetchHead(limits)).resolves.toBe(head);
    await expect(forgeWith({ caFile }).loadPullRequest(hash, 'main')).resolves.toBeNull();
    expect(seen).toEqual(['Bearer f0rge-token']);
  });

  it('goes through the proxy of a file, which is read each time, and leaves nothing of it behind', async () => {
    const credentials = { caFile: file('ca.pem'), proxyFile: file('proxy') };
    const repository = await open(credentials);
    const forge = forgeWith(credentials);
    const shown: string[] = [];
    if (showsProcesses()) git.onRequest = () => shown.push(...shownSecrets(['pr0xy-s3cret']));
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
    await expect(forge.loadPullRequest(hash, 'main')).resolves.toBeNull();
    expect(new Set(proxy.tunnels).size).toBe(2);
    expect(await readdir(file('git'), { recursive: true })).not.toContain('proxy.gitconfig');

    expect(shown).toEqual([]);
    expect(git.requests.length).toBeGreaterThan(0);

    proxy.credentials = 'corp:r0tated';
    const refused: unknown = await repository.fetchHead(limits).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'ProxyRefused', retryable: true });
    const unasked: unknown = await forge.loadPullRequest(hash, 'main').catch((error: unknown) => error);
    expect(unasked).toMatchObject({ code: 'Unreachable', retryable: true });
    for (const error of [refused, unasked])
      expect(`${String(error)}${JSON.stringify(error)}`).not.toMatch(/pr0xy-s3cret|f0rge-token/);

    await writeFile(file('proxy'), `http://corp:r0tated@${proxyAddress}\n`);
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
    await expect(forge.loadPullRequest(hash, 'main')).resolves.toBeNull();
  });

  it.each(['not an address', 'ftp://corp:pr0xy-s3cret@127.0.0.1', 'http://a"\tb@127.0.0.1'])(
    'takes no proxy of %j, and does not repeat it',
    async (text) => {
      await writeFile(file('proxy'), text);
      const repository = await open({ caFile: file('ca.pem'), proxyFile: file('proxy') });
      const error: unknown = await repository.fetchHead(limits).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'CredentialsInvalid' });
      expect(String(error)).not.toContain(text);
    },
  );
}

/** A server's key, and a certificate of its own for 127.0.0.1. */
function makeCertificate(folder: string): void {
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
      .concat(['-subj', '/CN=plimsoll test', '-addext', 'subjectAltName=IP:127.0.0.1'])
      .concat(['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'ca.pem')]),
    { stdio: 'ignore' },
  );
}

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('Git and forges over TLS and through a proxy', () => {
  if (hasOpenssl()) network();
  else it('is left out: openssl is missing', () => expect(hasOpenssl()).toBe(false));
});
