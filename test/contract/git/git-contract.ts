import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BlobContent, GitPort, GitRepositoryPort } from '#git-sync';

/** Contents by path; null removes. */
export type Files = Readonly<Record<string, string | Uint8Array | null>>;

/** A repository at its server, as those who push to it see it. */
export interface OriginUnderTest {
  readonly url: string;
  /** Adds a commit to `refs/heads/main`, and answers its hash. */
  readonly commit: (message: string, files: Files) => Promise<string>;
  /** Puts a commit in the place of the last one: a force-push. */
  readonly amend: (message: string, files: Files) => Promise<string>;
  /** Adds a commit with two parents: main, and a commit beside it with these files. */
  readonly merge: (message: string, files: Files) => Promise<string>;
  /** A tag, or a branch. */
  readonly point: (ref: string, hash: string) => Promise<void>;
}

/** A Git under test: a server with one empty repository. */
export interface GitUnderTest {
  readonly git: GitPort;
  readonly origin: OriginUnderTest;
  readonly end: () => Promise<void>;
}

const limits = { bytes: 64 * 1024 * 1024, milliseconds: 20_000 };
const blobLimits = { ...limits, blobBytes: 1_000 };
const decoder = new TextDecoder();

/** What every implementation of `GitPort` does. */
export function describeGitPort(name: string, create: () => Promise<GitUnderTest>): void {
  describe(`GitPort: ${name}`, () => {
    let given: GitUnderTest;
    let origin: OriginUnderTest;
    let repository: GitRepositoryPort;
    let older: string;
    let first: string;

    const open = (ref = 'refs/heads/main'): Promise<GitRepositoryPort> =>
      given.git.open({ source: 'policies', url: origin.url, ref });

    beforeEach(async () => {
      given = await create();
      ({ origin } = given);
      older = await origin.commit('Older', { 'a.yaml': 'older\n', 'gone.yaml': 'gone\n' });
      first = await origin.commit('First\n\nwith a body', {
        'a.yaml': 'a\n',
        'gone.yaml': null,
        'shop/b.yaml': 'b\n',
        'shop/ä.yaml': Uint8Array.from([0xff, 0x00, 0x0a]),
      });
      repository = await open();
    });
    afterEach(() => given.end());

    it('fetches the head and reads its commit', async () => {
      await expect(repository.fetchHead(limits)).resolves.toBe(first);
      const commit = await repository.loadCommit(first);
      expect(commit).toMatchObject({
        hash: first,
        parents: [older],
        author: { name: 'Ada Author', email: 'ada@example.com' },
        committer: { name: 'Carl Committer', email: 'carl@example.com' },
        subject: 'First',
        message: 'First\n\nwith a body',
      });
      expect(commit.tree).toMatch(/^[0-9a-f]{40}$/);
      expect(new Date(commit.author.time).toISOString()).toBe(commit.author.time);
      await expect(repository.fetchHead(limits)).resolves.toBe(first);
    });

    it('lists the leaves in the order of git, and reads their bytes, again and again', async () => {
      await repository.fetchHead(limits);
      for (let time = 0; time < 2; time += 1) {
        const tree = await repository.loadTree(first, 10);
        expect(tree.map(({ path, mode }) => [path, mode])).toEqual([
          ['a.yaml', '100644'],
          ['shop/b.yaml', '100644'],
          ['shop/ä.yaml', '100644'],
        ]);
        const blobs = await repository.loadBlobs(
          tree.map(({ id }) => id),
          blobLimits,
        );
        expect(tree.map(({ id }) => bytesOf(blobs.get(id)))).toEqual([
          [97, 10],
          [98, 10],
          [0xff, 0x00, 0x0a],
        ]);
      }
    });

    it('names equal contents alike', async () => {
      const same = await origin.commit('Same', { 'copy.yaml': 'a\n' });
      await repository.fetchHead(limits);
      const tree = await repository.loadTree(same, 10);
      const idOf = (wanted: string): string | undefined => tree.find(({ path }) => path === wanted)?.id;
      expect(idOf('copy.yaml')).toBe(idOf('a.yaml'));
    });

    it('reads an older commit, of a history that was fetched', async () => {
      await repository.fetchHead(limits);
      await expect(repository.loadCommit(older)).resolves.toMatchObject({ subject: 'Older', parents: [] });
    });

    it('brings what a later commit changed, and says what descends from what', async () => {
      await repository.fetchHead(limits);
      const second = await origin.commit('Second', { 'shop/b.yaml': 'bb\n' });
      await expect(repository.fetchHead(limits)).resolves.toBe(second);
      await expect(repository.loadAncestry(first, second)).resolves.toBe('Descendant');
      await expect(repository.loadAncestry(second, second)).resolves.toBe('Descendant');
      await expect(repository.loadAncestry(second, first)).resolves.toBe('NotDescendant');
      await expect(repository.loadAncestry('0'.repeat(40), second)).resolves.toBe('Absent');
      const entry = (await repository.loadTree(second, 10)).find(({ path }) => path === 'shop/b.yaml');
      const blob = (await repository.loadBlobs([entry?.id ?? ''], blobLimits)).get(entry?.id ?? '');
      expect(blob?.kind === 'Bytes' && decoder.decode(blob.bytes)).toBe('bb\n');
    });

    it('lists the commits of a range: the head, the first-parent line, or every one', async () => {
      const merge = await origin.merge('Merge', { 'c.yaml': 'c\n' });
      const last = await origin.commit('Last', { 'd.yaml': 'd\n' });
      await repository.fetchHead(limits);
      const range = (line: 'Head' | 'FirstParent' | 'Every', limit = 10): Promise<readonly string[]> =>
        repository.loadRange({ since: first, head: last, line }, limit);
      await expect(range('Head')).resolves.toEqual([last]);
      await expect(range('FirstParent')).resolves.toEqual([last, merge]);
      const every = await range('Every', 3);
      expect(every).toHaveLength(3);
      expect(every.slice(0, 2)).toEqual([last, merge]);
      expect((await repository.loadCommit(merge)).parents).toEqual([first, every[2]]);
      await expect(range('Every', 2)).rejects.toMatchObject({ code: 'TooManyCommits' });
      await expect(repository.loadRange({ head: last, line: 'Every' }, 1)).resolves.toEqual([last]);
    });

    it('follows a force-push, and still has what it keeps', async () => {
      await repository.fetchHead(limits);
      await expect(repository.loadKept('active')).resolves.toBeUndefined();
      await repository.keep('active', first);
      const forced = await origin.amend('Forced', { 'a.yaml': 'forced\n' });
      await expect(repository.fetchHead(limits)).resolves.toBe(forced);
      await expect(repository.loadAncestry(first, forced)).resolves.toBe('NotDescendant');
      await expect(repository.loadKept('active')).resolves.toBe(first);
      await expect(repository.hasCommit(first)).resolves.toBe(true);
      await expect(repository.hasCommit('1'.repeat(40))).resolves.toBe(false);
    });

    it('says that a blob is too large, and reads the others', async () => {
      const large = await origin.commit('Large', {
        'large.yaml': 'x'.repeat(1_001),
        'fits.yaml': 'x'.repeat(1_000),
      });
      await repository.fetchHead(limits);
      const tree = await repository.loadTree(large, 10);
      const blobs = await repository.loadBlobs(
        tree.map(({ id }) => id),
        blobLimits,
      );
      expect(tree.map(({ path, id }) => [path, blobs.get(id)?.kind])).toEqual([
        ['a.yaml', 'Bytes'],
        ['fits.yaml', 'Bytes'],
        ['large.yaml', 'TooLarge'],
        ['shop/b.yaml', 'Bytes'],
        ['shop/ä.yaml', 'Bytes'],
      ]);
    });

    it('refuses a tree of more files than allowed, and a commit that it has not', async () => {
      await repository.fetchHead(limits);
      await expect(repository.loadTree(first, 3)).resolves.toHaveLength(3);
      await expect(repository.loadTree(first, 2)).rejects.toMatchObject({ code: 'TooManyFiles' });
      await expect(repository.loadTree('0'.repeat(40), 2)).rejects.toMatchObject({ name: 'AdapterError' });
      await expect(repository.loadCommit('0'.repeat(40))).rejects.toMatchObject({ name: 'AdapterError' });
    });

    it('follows a tag, a short name and a pinned commit', async () => {
      await origin.point('refs/tags/v1', older);
      for (const [ref, want] of [
        ['refs/tags/v1', older],
        ['main', first],
        [older, older],
      ] as const)
        await expect((await open(ref)).fetchHead(limits)).resolves.toBe(want);
    });

    it('names a ref that is not there, and finds it once it is', async () => {
      const other = await open('refs/heads/later');
      await expect(other.fetchHead(limits)).rejects.toMatchObject({ code: 'RefNotFound', retryable: true });
      await origin.point('refs/heads/later', older);
      await expect(other.fetchHead(limits)).resolves.toBe(older);
    });

    it('says that a commit has no signature', async () => {
      await repository.fetchHead(limits);
      await expect(repository.loadSignature(first, {})).resolves.toEqual({ status: 'Unsigned' });
    });
  });
}

function bytesOf(blob: BlobContent | undefined): readonly number[] | undefined {
  return blob?.kind === 'Bytes' ? [...blob.bytes] : undefined;
}
