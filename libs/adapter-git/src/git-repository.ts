import type {
  Ancestry,
  BlobContent,
  BlobLimits,
  CommitInfo,
  CommitRange,
  FetchLimits,
  GitRepositoryPort,
  SignatureStatus,
  TreeEntry,
  TrustedSigners,
} from '#git-sync';
import { AdapterError } from '#kernel';
import { fetchBlobs } from './fetch/fetch-blobs.ts';
import { fetchHead } from './fetch/fetch-head.ts';
import { fetchWhole } from './fetch/fetch-whole.ts';
import type { RepositoryContext } from './fetch/repository-context.ts';
import { checkedHash } from './objects/git-ref.ts';
import { loadShallow } from './objects/load-shallow.ts';
import { loadCommit, loadStored, loadTree, parseListing } from './objects/object-store.ts';
import { hasCode } from './run/git-failure.ts';
import { localTimeoutMilliseconds, maximumHistoryMemoryBytes } from './run/git-limits.ts';
import { loadSignature } from './signatures/signature.ts';

/** Names under which commits are kept: a path below `refs/plimsoll/`. */
const keptName = /^[a-z0-9][a-z0-9-]*$/;

/** One source's bare repository on disk. */
export class GitRepository implements GitRepositoryPort {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  readonly fetchHead = (limits: FetchLimits): Promise<string> => fetchHead(this.#context, limits);

  readonly hasCommit = async (hash: string): Promise<boolean> => {
    const { runner } = this.#context;
    const stored = await loadStored(runner, [hash]);
    if (stored.get(hash)?.type !== 'commit') return false;
    const { tree } = await loadCommit(runner, hash);
    const listing = await runner.status({
      what: `list ${hash}`,
      args: ['rev-list', '--objects', '--filter=blob:none', '--no-walk', '--count', checkedHash(tree)],
    });
    return listing.status === 0;
  };

  readonly loadCommit = (hash: string): Promise<CommitInfo> => {
    const { runner, memory } = this.#context;
    return memory.head?.hash === hash ? Promise.resolve(memory.head) : loadCommit(runner, hash);
  };

  readonly loadAncestry = async (ancestor: string, descendant: string): Promise<Ancestry> => {
    const { head } = this.#context.memory;
    // One commit on top of the other, as most pushes are.
    if (head?.hash === descendant && head.parents.includes(ancestor)) return 'Descendant';
    const { status, output } = await this.#context.runner.status({
      what: 'compare commits',
      maximumMemoryBytes: maximumHistoryMemoryBytes,
      args: ['rev-list', '--count', '--max-count=1', checkedHash(ancestor), `^${checkedHash(descendant)}`],
    });
    if (status === 0 && output.trim() === '0') return 'Descendant';
    // Where the history is cut off, what lies behind may have been the ancestor.
    const cut = await loadShallow(this.#context.access.folder);
    if (cut.size > 0) return 'Unknown';
    if (status === 0) return 'NotDescendant';
    return (await this.hasCommit(ancestor)) ? 'Unknown' : 'Absent';
  };

  readonly loadRange = async (range: CommitRange, limit: number): Promise<readonly string[]> => {
    if (range.line === 'Head' || range.since === undefined) return [checkedHash(range.head)];
    const { head } = this.#context.memory;
    const [parent, ...others] = head?.hash === range.head ? head.parents : [];
    if (parent === range.since && others.length === 0) return [range.head];
    const text = await this.#context.runner.text({
      what: 'list commits',
      maximumMemoryBytes: maximumHistoryMemoryBytes,
      args: [
        'rev-list',
        `--max-count=${limit + 1}`,
        ...(range.line === 'FirstParent' ? ['--first-parent'] : []),
        checkedHash(range.head),
        `^${checkedHash(range.since)}`,
      ],
      maximumOutputBytes: (limit + 1) * 65,
    });
    const hashes = text.split('\n').filter((line) => line !== '');
    if (hashes.length > limit) throw tooManyCommits(limit);
    const cut = await loadShallow(this.#context.access.folder);
    const end = hashes.find((hash) => cut.has(hash));
    if (end !== undefined) throw historyCut(end);
    return hashes;
  };

  readonly loadTree = async (hash: string, limit: number): Promise<readonly TreeEntry[]> => {
    const { runner, memory } = this.#context;
    const { head, listing } = memory;
    if (listing === undefined || head?.hash !== hash) return loadTree(runner, hash, limit);
    memory.listing = undefined;
    return parseListing(listing, { hash, limit });
  };

  readonly loadBlobs = async (
    ids: readonly string[],
    limits: BlobLimits,
  ): Promise<ReadonlyMap<string, BlobContent>> => {
    const { runner, access } = this.#context;
    try {
      return await fetchBlobs({ runner, access, limits }, ids);
    } catch (error) {
      if (!hasCode(error, 'ObjectsNotByName')) throw error;
      await fetchWhole(this.#context, limits);
      return fetchBlobs({ runner, access, limits }, ids);
    }
  };

  readonly loadSignature = (hash: string, trusted: TrustedSigners): Promise<SignatureStatus> =>
    loadSignature({ runner: this.#context.runner, folder: this.#context.access.folder }, hash, trusted);

  readonly keep = async (name: string, hash: string): Promise<void> => {
    await this.#context.runner.bytes({
      what: `keep ${hash}`,
      args: ['update-ref', refOf(name), checkedHash(hash)],
      timeoutMilliseconds: localTimeoutMilliseconds,
    });
  };

  readonly loadKept = async (name: string): Promise<string | undefined> => {
    const hash = await this.#context.runner.text({
      what: `look for ${name}`,
      args: ['for-each-ref', '--format=%(objectname)', refOf(name)],
    });
    return hash === '' ? undefined : hash;
  };
}

function refOf(name: string): string {
  if (keptName.test(name)) return `refs/plimsoll/kept/${name}`;
  throw new AdapterError({
    code: 'RefNotAllowed',
    message: `${JSON.stringify(name)} is no name to keep a commit under`,
    retryable: false,
  });
}

/** What lies behind such a commit cannot be looked at, so the list would be incomplete. */
function historyCut(hash: string): AdapterError {
  return new AdapterError({
    code: 'HistoryCut',
    message:
      `the history of the remote ends at ${hash}: it is a shallow clone, so it is not known who took part before; ` +
      'run git fetch --unshallow there, or name a repository with its whole history',
    retryable: false,
  });
}

function tooManyCommits(limit: number): AdapterError {
  return new AdapterError({
    code: 'TooManyCommits',
    message: `there are more than ${limit} commits to look at`,
    retryable: false,
  });
}
