import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitAdapter } from '#adapter-git';
import type { GitRepositoryPort } from '#git-sync';
import { temporaryFolder, TemporaryRepository } from './support/temporary-repository.ts';

const limits = { bytes: 256 * 1024 * 1024, milliseconds: 60_000 };
/** Enough that a fetch of every tree would be seen; a tenth of it is written in a second. */
const historyLength = 10_000;

describe('a repository that is hard to follow', () => {
  let origin: TemporaryRepository;
  let folder: string;

  beforeEach(async () => {
    origin = await TemporaryRepository.create();
    folder = await temporaryFolder();
  });

  afterEach(() => origin.remove());

  const open = async (url = origin.url, ref = 'refs/heads/main'): Promise<GitRepositoryPort> => {
    const adapter = await GitAdapter.create({ folder, now: () => Date.now() });
    return adapter.open({ source: 'policies', url, ref });
  };

  it('follows a long history forward, a force-push and an unrelated root', async () => {
    await importHistory(origin.folder, historyLength);
    const repository = await open();
    const first = await repository.fetchHead(limits);
    expect(await repository.loadTree(first, 200)).toHaveLength(100);
    await origin.git('reset', '--quiet', '--hard', 'main');
    const next = await origin.commit('Next', { 'a.yaml': 'a\n' });
    expect(await repository.fetchHead(limits)).toBe(next);
    expect(await repository.loadAncestry(first, next)).toBe('Descendant');
    const amended = await origin.commit('Amended', { 'a.yaml': 'b\n' }, ['--amend']);
    expect(await repository.fetchHead(limits)).toBe(amended);
    expect(await repository.loadAncestry(next, amended)).toBe('NotDescendant');
    await origin.git('checkout', '--quiet', '--orphan', 'other');
    await origin.commit('Unrelated', { 'a.yaml': 'c\n' });
    await origin.git('branch', '--force', 'main', 'other');
    const unrelated = await repository.fetchHead(limits);
    expect(await repository.loadAncestry(amended, unrelated)).toBe('NotDescendant');
  }, 120_000);

  it('reads a shallow remote, and establishes no ancestry where its history ends', async () => {
    const mirror = join(folder, 'mirror');
    const shallow = async (): Promise<void> => {
      await rm(mirror, { recursive: true, force: true });
      await origin.git('clone', '--quiet', '--bare', '--depth=1', origin.url, mirror);
    };
    await origin.commit('First', { 'a.yaml': 'a\n' });
    const first = await origin.commit('Second', { 'b.yaml': 'b\n' });
    await shallow();
    const repository = await open(`file://${mirror}`);
    expect(await repository.fetchHead(limits)).toBe(first);
    expect(await repository.loadTree(first, 10)).toHaveLength(2);
    const child = await origin.commit('Third', { 'b.yaml': 'c\n' });
    await shallow();
    expect(await repository.fetchHead(limits)).toBe(child);
    // A commit names its parents itself.
    expect(await repository.loadAncestry(first, child)).toBe('Descendant');
    expect(await repository.loadRange({ line: 'Every', head: child, since: first }, 10)).toEqual([child]);
    const between = await origin.commit('Fourth', { 'b.yaml': 'd\n' });
    const next = await origin.commit('Fifth', { 'b.yaml': 'e\n' });
    await shallow();
    expect(await repository.fetchHead(limits)).toBe(next);
    expect(await repository.loadAncestry(first, next)).toBe('Unknown');
    await expect(repository.loadRange({ line: 'Every', head: next, since: first }, 10)).rejects.toMatchObject(
      {
        code: 'HistoryCut',
        retryable: false,
      },
    );
    // The cure that the runbook names.
    await origin.git('-C', mirror, 'fetch', '--quiet', '--unshallow', origin.url, 'main');
    expect(await repository.fetchHead(limits)).toBe(next);
    expect(await repository.loadAncestry(first, next)).toBe('Descendant');
    await expect(repository.loadRange({ line: 'Every', head: next, since: first }, 10)).resolves.toEqual([
      next,
      between,
      child,
    ]);
  }, 60_000);

  it('goes on after a git that was killed left its locks and half a pack behind', async () => {
    await origin.commit('First', { 'a.yaml': 'a\n' });
    const repository = await open();
    await repository.fetchHead(limits);
    const name = (await readdir(folder)).find((entry) => entry.endsWith('.git')) ?? '';
    const bare = join(folder, name);
    const left = ['config.lock', 'packed-refs.lock', 'refs/plimsoll/fetched.lock', 'objects/pack/tmp_pack_x'];
    await mkdir(join(bare, 'objects', 'pack'), { recursive: true });
    const old = Date.now() / 1000 - 3_600;
    for (const file of left) {
      await writeFile(join(bare, file), '');
      await utimes(join(bare, file), old, old);
    }
    const next = await origin.commit('Next', { 'a.yaml': 'b\n' });
    expect(await repository.fetchHead(limits)).toBe(next);
    const again = await origin.commit('Again', { 'a.yaml': 'c\n' });
    expect(await (await open()).fetchHead(limits)).toBe(again);
    expect(await readdir(join(bare, 'objects', 'pack'))).not.toContain('tmp_pack_x');
  }, 60_000);

  it('leaves alone what a git may still be writing', async () => {
    await origin.commit('First', { 'a.yaml': 'a\n' });
    const repository = await open();
    await repository.fetchHead(limits);
    const name = (await readdir(folder)).find((entry) => entry.endsWith('.git')) ?? '';
    const young = join(folder, name, 'objects', 'pack', 'tmp_pack_y');
    await writeFile(young, '');
    await repository.fetchHead(limits);
    expect(await readdir(join(folder, name, 'objects', 'pack'))).toContain('tmp_pack_y');
  }, 60_000);
});

/** Commits that each change one of a hundred files, written in one go. */
async function importHistory(repository: string, length: number): Promise<void> {
  const git = spawn('git', ['fast-import', '--quiet'], {
    cwd: repository,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  for (let index = 0; index < length; index++) {
    const person = `Ada Author <ada@example.com> ${1_600_000_000 + index} +0000`;
    const text = `kind: ConfigMap # ${index}\n`;
    git.stdin.write(
      `commit refs/heads/main\ncommitter ${person}\ndata 1\nx\nM 100644 inline d/${index % 100}.yaml\n` +
        `data ${text.length}\n${text}\n`,
    );
  }
  git.stdin.end();
  await once(git, 'close');
}
