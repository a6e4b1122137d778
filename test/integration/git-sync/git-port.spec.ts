import { once } from 'node:events';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitAdapter } from '#adapter-git';
import type { GitCredentials, GitRepositoryPort } from '#git-sync';
import { AdapterError } from '#kernel';
import { HttpGitServer } from './support/http-git-server.ts';
import { temporaryFolder, TemporaryRepository } from './support/temporary-repository.ts';

const limits = { bytes: 64 * 1024 * 1024, milliseconds: 20_000 };
const blobLimits = { ...limits, blobBytes: 1_000 };
const decoder = new TextDecoder();

describe('a long life', () => {
  it('rolls packs into one, and loses nothing', async () => {
    const origin = await TemporaryRepository.create();
    const first = await origin.commit('0', { 'a.yaml': '0\n' });
    const folder = await temporaryFolder();
    const adapter = await GitAdapter.create({ folder, now: () => Date.now() });
    const repository = await adapter.open({ source: 'policies', url: origin.url, ref: 'refs/heads/main' });
    let head = '';
    for (let index = 1; index <= 27; index += 1) {
      head = await origin.commit(`${index}`, { 'a.yaml': `${index}\n` });
      await repository.fetchHead(limits);
      await loadOnly(repository, head);
    }
    const bare = (await readdir(folder)).find((name) => name.endsWith('.git'));
    const packs = await readdir(join(folder, bare ?? '', 'objects', 'pack'));
    expect(packs.filter((name) => name.endsWith('.pack')).length).toBeLessThan(50);
    await rename(origin.folder, `${origin.folder}-away`);
    await expect(loadOnly(repository, head)).resolves.toBe('27\n');
    await expect(repository.loadAncestry(first, head)).resolves.toBe('Descendant');
    await rename(`${origin.folder}-away`, origin.folder);
    await origin.remove();
  }, 60_000);
});

describe('a folder that is given relative to where the process runs', () => {
  it('is the same as the whole path', async () => {
    const origin = await TemporaryRepository.create();
    const head = await origin.commit('0', { 'a.yaml': '0\n' });
    const folder = relative(process.cwd(), await temporaryFolder());
    const adapter = await GitAdapter.create({ folder, now: () => Date.now() });
    const repository = await adapter.open({ source: 'policies', url: origin.url, ref: 'refs/heads/main' });
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
    await origin.remove();
  });
});

describe('a repository on disk that is gone while it is used', () => {
  let origin: TemporaryRepository;
  let stranger: TemporaryRepository;
  let head: string;
  let strange: string;
  let folder: string;
  let repository: GitRepositoryPort;
  beforeEach(async () => {
    origin = await TemporaryRepository.create();
    head = await origin.commit('0', { 'a.yaml': 'ours\n' });
    stranger = await TemporaryRepository.create();
    strange = await stranger.commit('0', { 'a.yaml': 'of a stranger\n' });
    // A checkout of another repository, as the folder that the controller was started in may be.
    await stranger.git('config', 'remote.origin.url', stranger.url);
    folder = join(stranger.folder, 'cache');
    const adapter = await GitAdapter.create({ folder, now: () => Date.now() });
    repository = await adapter.open({ source: 'policies', url: origin.url, ref: 'refs/heads/main' });
    await repository.fetchHead(limits);
  });
  afterEach(() => Promise.all([origin.remove(), stranger.remove()]));

  const bare = async (): Promise<string> => {
    const name = (await readdir(folder)).find((each) => each.endsWith('.git'));
    return join(folder, name ?? '');
  };

  it.each([
    { name: 'all of it', lose: () => rm(folder, { recursive: true }) },
    { name: 'with what other sources have', lose: async () => rm(await bare(), { recursive: true }) },
    { name: 'in part', lose: async () => rm(join(await bare(), 'HEAD')) },
    { name: 'what git is started with', lose: () => rm(join(folder, 'git-launcher.sh')) },
  ])('is made anew: $name', async ({ lose }) => {
    await lose();
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
    await expect(loadOnly(repository, head)).resolves.toBe('ours\n');
  });

  it('is never looked for in the folders above', async () => {
    await rm(join(await bare(), 'HEAD'));
    await expect(repository.hasCommit(strange)).rejects.toThrow('not a git repository');
  });

  it('says what stands in its place', async () => {
    const place = await bare();
    await rm(place, { recursive: true });
    await writeFile(place, '');
    await expect(repository.fetchHead(limits)).rejects.toMatchObject({
      code: 'FolderUnusable',
      message: expect.stringContaining('no folder is there, but a file'),
    });
    await rm(place);
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
  });
});

describe('a server that accepts and never answers', () => {
  it.each([
    ['that takes too long', { bytes: 1_000_000, milliseconds: 4_000 }, 'Timeout'],
    ['when the process ends', { bytes: 1_000_000, milliseconds: 60_000 }, 'Closed'],
  ])('leaves nothing of a fetch behind %s', async (_name, limits, code) => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const adapter = await GitAdapter.create({ folder: await temporaryFolder(), now: () => Date.now() });
    const url = `http://127.0.0.1:${port}/policies.git`;
    const repository = await adapter.open({ source: 'silent', url, ref: 'refs/heads/main' });
    const fetching = expect(repository.fetchHead(limits)).rejects.toMatchObject({ code });
    const [socket] = (await once(silent, 'connection')) as [Socket];
    socket.resume();
    if (code === 'Closed') adapter.close();
    // Only the process that holds the connection can close it.
    await Promise.all([fetching, once(socket, 'close')]);
    silent.close();
  });
});

describe('an adapter that is closed', () => {
  it('refuses to open a repository, and leaves no timer behind', async () => {
    const adapter = await GitAdapter.create({ folder: await temporaryFolder(), now: () => Date.now() });
    adapter.close();
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    const location = { source: 'policies', url: 'https://git.example/a.git', ref: 'refs/heads/main' };
    await expect(adapter.open(location)).rejects.toMatchObject({ code: 'Closed' });
    expect(timers()).toBe(before);
  });
});

describe('a pinned commit and a tag', () => {
  it.each(['commit', 'tag'])('fetches a %s', async (kind) => {
    const origin = await TemporaryRepository.create();
    const pinned = await origin.commit('One', { 'a.yaml': 'a\n' });
    await origin.git('tag', '--annotate', '--message=v1', 'v1');
    await origin.commit('Two', { 'a.yaml': 'b\n' });
    const repository = await open(origin.url, kind === 'commit' ? pinned : 'refs/tags/v1');
    await expect(repository.fetchHead(limits)).resolves.toBe(pinned);
    await origin.remove();
  });
});

describe('credentials over HTTP', () => {
  let origin: TemporaryRepository;
  let server: HttpGitServer;
  let url: string;

  beforeEach(async () => {
    origin = await TemporaryRepository.create();
    server = new HttpGitServer(origin.folder);
    url = await server.start();
  });

  afterEach(async () => {
    await server.stop();
    await origin.remove();
  });

  it('reads the token from its file at every fetch, and keeps it out of errors', async () => {
    const head = await origin.commit('One', { 'a.yaml': 'a\n' });
    server.credentials = 'bot:s3cret-token';
    const tokenFile = join(await temporaryFolder(), 'token');
    await writeFile(tokenFile, 'wr0ng-token\n');
    const repository = await open(url, 'refs/heads/main', { tokenFile, username: 'bot' });
    const refused = await repository.fetchHead(limits).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AdapterError);
    expect(refused).toMatchObject({ code: 'AuthenticationFailed', retryable: false });
    expect(`${String(refused)}${JSON.stringify(refused)}`).not.toContain('wr0ng-token');
    await writeFile(tokenFile, 's3cret-token\n');
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
  });

  it('follows no redirect', async () => {
    server.redirect = 'http://127.0.0.1:1';
    const repository = await open(url);
    await expect(repository.fetchHead(limits)).rejects.toMatchObject({ code: 'Redirected' });
  });

  it('gives up on a server that does not answer', async () => {
    server.hangs = true;
    const repository = await open(url);
    await expect(repository.fetchHead({ ...limits, milliseconds: 300 })).rejects.toMatchObject({
      code: 'Timeout',
      retryable: true,
    });
  });
});

describe('what a source may name', () => {
  it.each([
    ['an external helper', 'ext::sh -c touch%20pwned', 'refs/heads/main', 'UrlNotAllowed'],
    ['an scp-like path', 'git@example.com:a.git', 'refs/heads/main', 'UrlNotAllowed'],
    ['plain HTTP elsewhere', 'http://example.com/a.git', 'refs/heads/main', 'UrlNotAllowed'],
    ['a password', 'https://a:b@example.com/a.git', 'refs/heads/main', 'UrlNotAllowed'],
    ['an option as a host', 'ssh://-oProxyCommand=x/a.git', 'refs/heads/main', 'UrlNotAllowed'],
    ['an option as a ref', 'file:///a', '--upload-pack=x', 'RefNotAllowed'],
    ['a refspec as a ref', 'file:///a', 'a:b', 'RefNotAllowed'],
    ['a range as a ref', 'file:///a', 'a..b', 'RefNotAllowed'],
  ])('refuses %s', async (...[, url, ref, code]) => {
    await expect(open(url, ref)).rejects.toMatchObject({ code, retryable: false });
  });

  it('says that a repository is not there', async () => {
    const repository = await open('file:///nowhere/at/all');
    await expect(repository.fetchHead(limits)).rejects.toMatchObject({ code: 'RepositoryNotFound' });
  });
});

/** The text of the one file of a commit. */
async function loadOnly(repository: GitRepositoryPort, commit: string): Promise<string> {
  const [entry] = await repository.loadTree(commit, 10);
  const id = entry?.id ?? '';
  const blob = (await repository.loadBlobs([id], blobLimits)).get(id);
  return blob?.kind === 'Bytes' ? decoder.decode(blob.bytes) : '';
}

async function open(
  url: string,
  ref = 'refs/heads/main',
  credentials: GitCredentials = {},
): Promise<GitRepositoryPort> {
  const adapter = await GitAdapter.create({ folder: await temporaryFolder(), now: () => Date.now() });
  return adapter.open({ source: 'policies', url, ref, credentials });
}
