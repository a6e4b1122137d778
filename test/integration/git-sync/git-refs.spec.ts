import { chown, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitAdapter } from '#adapter-git';
import type { GitRepositoryPort } from '#git-sync';
import { temporaryFolder, TemporaryRepository } from './support/temporary-repository.ts';

const limits = { bytes: 64 * 1024 * 1024, milliseconds: 20_000 };

async function open(url: string, ref: string, folder?: string): Promise<GitRepositoryPort> {
  const adapter = await GitAdapter.create({
    folder: folder ?? (await temporaryFolder()),
    now: () => Date.now(),
  });
  return adapter.open({ source: 'policies', url, ref });
}

describe('what a ref may be', () => {
  let origin: TemporaryRepository;
  let head: string;

  beforeEach(async () => {
    origin = await TemporaryRepository.create();
    head = await origin.commit('One', { 'a.yaml': 'a\n' });
  });
  afterEach(() => origin.remove());

  it.each([
    'HEAD',
    'main',
    'refs/pull/1/head',
    'refs/heads/feature/ä-ünïcode',
    "refs/heads/it's-(odd)&$HOME;`id`!",
    'refs/heads/100%',
    'refs/heads/a@b,c=d+e#f',
    'refs/heads/-dash',
  ])('fetches %s', async (ref) => {
    if (ref.startsWith('refs/')) await origin.git('update-ref', ref, head);
    await expect((await open(origin.url, ref)).fetchHead(limits)).resolves.toBe(head);
  });

  it.each([
    ['an option', '--upload-pack=id'],
    ['nothing', ''],
    ['a space', 'refs/heads/a b'],
    ['a line end', 'main\nmain'],
    ['a pattern', 'refs/heads/*'],
    ['two sides', 'main:main'],
    ['a parent', 'main~1'],
    ['a log entry', 'main@{1}'],
    ['a folder above', 'refs/../main'],
    ['a lock', 'refs/heads/a.lock'],
    ['a force', '+main'],
    ['too much', 'a'.repeat(1_025)],
  ])('refuses %s before anything is written', async (_name, ref) => {
    await expect(open(origin.url, ref)).rejects.toMatchObject({ code: 'RefNotAllowed', retryable: false });
  });

  it('follows tags of tags', async () => {
    await origin.git('tag', '--annotate', '--message=1', 'one');
    await origin.git('tag', '--annotate', '--message=2', 'two', 'one');
    await expect((await open(origin.url, 'refs/tags/two')).fetchHead(limits)).resolves.toBe(head);
  });

  it.each([
    ['a tree', 'HEAD^{tree}', []],
    ['a file', 'HEAD:a.yaml', []],
    ['a tree, with a message', 'HEAD^{tree}', ['--annotate', '--message=x']],
  ])('names a tag of %s, and follows it once it is a commit again', async (_name, object, options) => {
    await origin.git('tag', ...options, 'odd', object);
    const repository = await open(origin.url, 'refs/tags/odd');
    await expect(repository.fetchHead(limits)).rejects.toMatchObject({ code: 'RefIsNoCommit' });
    await origin.git('tag', '--force', 'odd', 'HEAD');
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
  });

  it('fetches a pinned commit that no branch reaches, where the server gives it', async () => {
    await origin.commit('Two', { 'a.yaml': 'b\n' }, ['--amend']);
    await expect((await open(origin.url, head)).fetchHead(limits)).resolves.toBe(head);
  });

  it('says of a pinned commit that is not there that it is not', async () => {
    const repository = await open(origin.url, 'a'.repeat(40));
    await expect(repository.fetchHead(limits)).rejects.toMatchObject({ code: 'RefNotFound' });
  });
});

describe('a repository of SHA-256', () => {
  it('is followed from its first commit, after a restart, and where it takes the place of another', async () => {
    const origin = await TemporaryRepository.create();
    const folder = await temporaryFolder();
    const repository = await open(origin.url, 'refs/heads/main', folder);
    const old = await origin.commit('Old', { 'a.yaml': 'old\n' });
    await expect(repository.fetchHead(limits)).resolves.toBe(old);
    await rm(`${origin.folder}/.git`, { recursive: true });
    await origin.git('init', '--quiet', '--initial-branch=main', '--object-format=sha256');
    await origin.git('config', 'uploadpack.allowFilter', 'true');
    const first = await origin.commit('First', { 'a.yaml': 'a\n' });
    expect(first).toHaveLength(64);
    await expect(repository.fetchHead(limits)).resolves.toBe(first);
    await expect(repository.loadAncestry(old, first)).resolves.toBe('Absent');
    const second = await origin.commit('Second', { 'a.yaml': 'b\n' });
    const again = await open(origin.url, 'refs/heads/main', folder);
    await expect(again.fetchHead(limits)).resolves.toBe(second);
    await expect(again.loadAncestry(first, second)).resolves.toBe('Descendant');
    const [entry] = await again.loadTree(second, 10);
    const blobs = await again.loadBlobs([entry?.id ?? ''], { ...limits, blobBytes: 1_000 });
    expect([...blobs.values()].map(({ kind }) => kind)).toEqual(['Bytes']);
    await origin.remove();
  }, 60_000);
});

describe('a folder of another user', () => {
  if (userInfo().uid !== 0) {
    it('is left out: only root gives a folder away', () => expect(userInfo().uid).not.toBe(0));
    return;
  }
  it('is named', async () => {
    const origin = await TemporaryRepository.create();
    await origin.commit('One', { 'a.yaml': 'a\n' });
    for (const path of [origin.folder, `${origin.folder}/.git`]) await chown(path, 12_345, 12_345);
    const repository = await open(origin.url, 'refs/heads/main');
    await expect(repository.fetchHead(limits)).rejects.toMatchObject({ code: 'OwnedByAnother' });
    await origin.remove();
  });
});
