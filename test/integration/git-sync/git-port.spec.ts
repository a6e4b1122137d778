import { readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { GitAdapter } from '#adapter-git';
import { AdapterError } from '#kernel';
import type { GitCredentials, GitRepositoryPort } from '#reconciliation';

import { HttpGitServer } from './support/http-git-server.ts';
import { temporaryFolder, TemporaryRepository } from './support/temporary-repository.ts';

const limits = { bytes: 64 * 1024 * 1024, milliseconds: 20_000 };
const blobLimits = { ...limits, blobBytes: 1_000 };
const decoder = new TextDecoder();

interface Served {
  readonly origin: TemporaryRepository;
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const servers: readonly { readonly name: string; readonly serve: () => Promise<Served> }[] = [
  { name: 'a folder', serve: () => serveFolder('filters') },
  { name: 'a folder without filters', serve: () => serveFolder('no filters') },
  { name: 'HTTP', serve: serveHttp },
];

describe.each(servers)('Git from $name', ({ serve }) => {
  let served: Served;
  let repository: GitRepositoryPort;
  let first: string;

  beforeEach(async () => {
    served = await serve();
    await served.origin.commit('Older', { 'a.yaml': 'older\n', 'gone.yaml': 'gone\n' });
    first = await served.origin.commit('First\n\nwith a body', {
      'a.yaml': 'a\n',
      'gone.yaml': null,
      'shop/b.yaml': 'b\n',
      'shop/ä.yaml': Buffer.from([0xff, 0x00, 0x0a]),
    });
    repository = await open(served.url);
  });

  afterEach(async () => {
    await served.stop();
    await served.origin.remove();
  });

  it('fetches the head and reads its commit', async () => {
    await expect(repository.fetchHead(limits)).resolves.toBe(first);
    const commit = await repository.loadCommit(first);
    expect(commit).toMatchObject({
      hash: first,
      author: { name: 'Ada Author', email: 'ada@example.com' },
      committer: { name: 'Carl Committer', email: 'carl@example.com' },
      subject: 'First',
      message: 'First\n\nwith a body',
    });
    expect(commit.parents).toHaveLength(1);
  });

  it('lists the leaves and reads their bytes', async () => {
    await repository.fetchHead(limits);
    const tree = await repository.loadTree(first, 10);
    expect(tree.map(({ path }) => path)).toEqual(['a.yaml', 'shop/b.yaml', 'shop/ä.yaml']);
    const blobs = await repository.loadBlobs(
      tree.map(({ id }) => id),
      blobLimits,
    );
    const contents = tree.map(({ id }) => {
      const blob = blobs.get(id);
      return blob?.kind === 'Bytes' ? [...blob.bytes] : blob;
    });
    expect(contents).toEqual([
      [97, 10],
      [98, 10],
      [0xff, 0x00, 0x0a],
    ]);
  });

  it('brings what a later commit changed, and says what descends from what', async () => {
    await repository.fetchHead(limits);
    const second = await served.origin.commit('Second', { 'shop/b.yaml': 'bb\n' });
    await expect(repository.fetchHead(limits)).resolves.toBe(second);
    await expect(repository.loadAncestry(first, second)).resolves.toBe('Descendant');
    await expect(repository.loadAncestry(second, first)).resolves.toBe('NotDescendant');
    await expect(repository.loadAncestry('0'.repeat(40), second)).resolves.toBe('Unknown');
    await expect(
      repository.loadRange({ since: first, head: second, line: 'FirstParent' }, 10),
    ).resolves.toEqual([second]);
    const entry = (await repository.loadTree(second, 10)).find(({ path }) => path === 'shop/b.yaml');
    const blob = (await repository.loadBlobs([entry?.id ?? ''], blobLimits)).get(entry?.id ?? '');
    expect(blob?.kind === 'Bytes' && decoder.decode(blob.bytes)).toBe('bb\n');
  });

  it('follows a force-push, and still has what it keeps', async () => {
    await repository.fetchHead(limits);
    await repository.keep('active', first);
    const forced = await served.origin.commit('Forced', { 'a.yaml': 'forced\n' }, ['--amend']);
    await expect(repository.fetchHead(limits)).resolves.toBe(forced);
    await expect(repository.loadAncestry(first, forced)).resolves.toBe('NotDescendant');
    await expect(repository.loadKept('active')).resolves.toBe(first);
    await expect(repository.hasCommit(first)).resolves.toBe(true);
    await expect(repository.hasCommit('1'.repeat(40))).resolves.toBe(false);
  });

  it('says that a blob is too large, and reads the others', async () => {
    const large = await served.origin.commit('Large', { 'large.yaml': 'x'.repeat(1_001) });
    await repository.fetchHead(limits);
    const tree = await repository.loadTree(large, 10);
    const blobs = await repository.loadBlobs(
      tree.map(({ id }) => id),
      blobLimits,
    );
    expect(tree.map(({ path, id }) => [path, blobs.get(id)?.kind])).toEqual([
      ['a.yaml', 'Bytes'],
      ['large.yaml', 'TooLarge'],
      ['shop/b.yaml', 'Bytes'],
      ['shop/ä.yaml', 'Bytes'],
    ]);
  });

  it('refuses a tree of more files than allowed', async () => {
    await repository.fetchHead(limits);
    await expect(repository.loadTree(first, 2)).rejects.toMatchObject({ code: 'TooManyFiles' });
  });

  it('names a ref that is not there', async () => {
    const other = await open(served.url, 'refs/heads/none');
    await expect(other.fetchHead(limits)).rejects.toMatchObject({ code: 'RefNotFound' });
  });
});

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
    const [bare] = await readdir(folder);
    const packs = await readdir(join(folder, bare ?? '', 'objects', 'pack'));
    expect(packs.filter((name) => name.endsWith('.pack')).length).toBeLessThan(50);
    await rename(origin.folder, `${origin.folder}-away`);
    await expect(loadOnly(repository, head)).resolves.toBe('27\n');
    await expect(repository.loadAncestry(first, head)).resolves.toBe('Descendant');
    await rename(`${origin.folder}-away`, origin.folder);
    await origin.remove();
  }, 60_000);
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

async function serveFolder(filters: 'filters' | 'no filters'): Promise<Served> {
  const origin = await TemporaryRepository.create(filters);
  return { origin, url: origin.url, stop: () => Promise.resolve() };
}

async function serveHttp(): Promise<Served> {
  const origin = await TemporaryRepository.create();
  const server = new HttpGitServer(origin.folder);
  return { origin, url: await server.start(), stop: () => server.stop() };
}
