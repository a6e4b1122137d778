import { AdapterError } from '#kernel';
import type {
  Ancestry,
  BlobContent,
  BlobLimits,
  CommitInfo,
  CommitRange,
  GitLocation,
  GitPort,
  GitRepositoryPort,
  SignatureStatus,
  TreeEntry,
} from './git.port.ts';

/** What a commit changes: contents by path, a symbolic link or submodule, or null where it is deleted. */
export type FakeChanges = Readonly<
  Record<string, string | Uint8Array | { readonly mode: '120000' | '160000' } | null>
>;

/** How a commit is made. */
export interface FakeCommitOptions {
  /** By default what the ref points at; what is not changed stays as the first has it. */
  readonly parents?: readonly string[];
  /** Who wrote and committed it: `sam` of sam@example.com; by default Ada, and Carl committed. */
  readonly author?: string;
  /** What checking its signature finds; by default it has none. */
  readonly signature?: SignatureStatus;
  /** By default `refs/heads/main`; it is moved to the new commit. */
  readonly ref?: string;
}

interface FakeEntry {
  readonly mode: string;
  readonly id: string;
}

const ada = { name: 'Ada Author', email: 'ada@example.com' };
const carl = { name: 'Carl Committer', email: 'carl@example.com' };
const firstSecond = Date.parse('2026-01-01T00:00:00Z') / 1000;
const encoder = new TextEncoder();

/** Git over repositories in memory, by their URL. What was fetched stays readable while a remote is down. */
export class FakeGit implements GitPort {
  readonly #remotes = new Map<string, FakeRemote>();
  readonly #clones = new Map<string, FakeClone>();

  /** The repository behind a URL, made where there is none. */
  remote(url: string): FakeRemote {
    const known = this.#remotes.get(url) ?? new FakeRemote();
    this.#remotes.set(url, known);
    return known;
  }

  /** Another URL of the same repository. */
  mirror(url: string, of: string): void {
    this.#remotes.set(url, this.remote(of));
  }

  readonly open = ({ source, url, ref }: GitLocation): Promise<GitRepositoryPort> => {
    const key = `${source} ${url}`;
    const clone = this.#clones.get(key) ?? { known: new Set(), read: new Set(), kept: new Map() };
    this.#clones.set(key, clone);
    return Promise.resolve(new FakeRepository(this.remote(url), ref, clone));
  };
}

/** A remote repository in memory. */
export class FakeRemote {
  /** It cannot be reached. */
  isDown = false;
  readonly #commits = new Map<string, CommitInfo>();
  readonly #trees = new Map<string, ReadonlyMap<string, FakeEntry>>();
  readonly #blobs = new Map<string, Uint8Array>();
  /** Names of blobs by their content. */
  readonly #ids = new Map<string, string>();
  readonly #refs = new Map<string, string>();
  readonly #signatures = new Map<string, SignatureStatus>();

  /** Adds a commit, one second after the one before, and answers its hash. */
  commit(message: string, changes: FakeChanges, options: FakeCommitOptions = {}): string {
    const { ref = 'refs/heads/main', author } = options;
    const parents = options.parents ?? this.#parentsAt(ref);
    const hash = nameOf('c', this.#commits.size);
    const time = new Date((firstSecond + this.#commits.size) * 1000).toISOString();
    const person = author === undefined ? undefined : { name: author, email: `${author}@example.com` };
    this.#commits.set(hash, {
      hash,
      tree: hash.replace(/^c/, 'd'),
      parents,
      author: { ...(person ?? ada), time },
      committer: { ...(person ?? carl), time },
      subject: message.split('\n', 1)[0] ?? '',
      message,
    });
    this.#trees.set(hash, this.#changed(parents[0] ?? '', changes));
    if (options.signature !== undefined) this.#signatures.set(hash, options.signature);
    this.point(ref, hash);
    return hash;
  }

  /** Moves a ref: a force-push, a tag. */
  point(ref: string, hash: string): void {
    this.#refs.set(ref, hash);
  }

  /**
   * What a ref points at.
   *
   * @throws AdapterError `RefNotFound`, or `Unreachable` while it is down
   */
  head(ref: string): string {
    this.reachOut();
    const hash = this.#refs.get(ref) ?? this.#refs.get(`refs/heads/${ref}`) ?? this.#commits.get(ref)?.hash;
    if (hash === undefined) throw failure('RefNotFound', `the repository has no ${ref}`);
    return hash;
  }

  /**
   * @throws AdapterError `Unreachable` while it is down
   */
  reachOut(): void {
    if (this.isDown) throw failure('Unreachable', 'the server does not answer');
  }

  commitOf(hash: string): CommitInfo | undefined {
    return this.#commits.get(hash);
  }

  treeOf(hash: string): ReadonlyMap<string, FakeEntry> {
    return this.#trees.get(hash) ?? new Map();
  }

  blobOf(id: string): Uint8Array | undefined {
    return this.#blobs.get(id);
  }

  signatureOf(hash: string): SignatureStatus {
    return this.#signatures.get(hash) ?? { status: 'Unsigned' };
  }

  /** The hash and everything that parents lead to, newest first. */
  reach(hash: string): readonly string[] {
    const found = new Set<string>();
    const waiting = [hash];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const commit = this.#commits.get(next);
      if (commit === undefined || found.has(next)) continue;
      found.add(next);
      waiting.push(...commit.parents);
    }
    return [...found].sort().reverse();
  }

  #parentsAt(ref: string): readonly string[] {
    const head = this.#refs.get(ref);
    return head === undefined ? [] : [head];
  }

  #changed(parent: string, changes: FakeChanges): ReadonlyMap<string, FakeEntry> {
    const tree = new Map(this.treeOf(parent));
    for (const [path, change] of Object.entries(changes)) {
      if (change === null) tree.delete(path);
      else if (typeof change === 'string' || change instanceof Uint8Array)
        tree.set(path, { mode: '100644', id: this.#store(change) });
      else tree.set(path, { mode: change.mode, id: this.#store(path) });
    }
    return tree;
  }

  /** Equal contents have one name, as in Git. */
  #store(content: string | Uint8Array): string {
    const bytes = typeof content === 'string' ? encoder.encode(content) : content;
    const key = bytes.join();
    const id = this.#ids.get(key) ?? nameOf('b', this.#blobs.size);
    this.#ids.set(key, id);
    this.#blobs.set(id, bytes);
    return id;
  }
}

/** What a source's own repository has fetched, read and kept. */
interface FakeClone {
  readonly known: Set<string>;
  readonly read: Set<string>;
  readonly kept: Map<string, string>;
}

class FakeRepository implements GitRepositoryPort {
  readonly #remote: FakeRemote;
  readonly #ref: string;
  readonly #clone: FakeClone;

  constructor(remote: FakeRemote, ref: string, clone: FakeClone) {
    this.#remote = remote;
    this.#ref = ref;
    this.#clone = clone;
  }

  readonly fetchHead = async (): Promise<string> => {
    const hash = await Promise.resolve(this.#ref).then((ref) => this.#remote.head(ref));
    for (const each of this.#remote.reach(hash)) this.#clone.known.add(each);
    return hash;
  };

  readonly hasCommit = (hash: string): Promise<boolean> => Promise.resolve(this.#clone.known.has(hash));

  readonly loadCommit = async (hash: string): Promise<CommitInfo> => {
    const commit = this.#clone.known.has(hash) ? this.#remote.commitOf(hash) : undefined;
    return commit ?? Promise.reject(failure('GitFailed', `there is no commit ${hash}`));
  };

  readonly loadAncestry = (ancestor: string, descendant: string): Promise<Ancestry> => {
    if (!this.#clone.known.has(ancestor) || !this.#clone.known.has(descendant))
      return Promise.resolve('Absent');
    const isReached = this.#remote.reach(descendant).includes(ancestor);
    return Promise.resolve(isReached ? 'Descendant' : 'NotDescendant');
  };

  readonly loadRange = async (
    { since, head, line }: CommitRange,
    limit: number,
  ): Promise<readonly string[]> => {
    if (line === 'Head' || since === undefined) return [head];
    const excluded = new Set(this.#remote.reach(since));
    const wanted = line === 'Every' ? this.#remote.reach(head) : this.#firstParents(head);
    const hashes = wanted.filter((hash) => !excluded.has(hash));
    if (hashes.length > limit)
      throw failure('TooManyCommits', `there are more than ${limit} commits to look at`);
    return Promise.resolve(hashes);
  };

  readonly loadTree = async (hash: string, limit: number): Promise<readonly TreeEntry[]> => {
    await this.loadCommit(hash);
    const entries = [...this.#remote.treeOf(hash)]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([path, entry]): TreeEntry => ({ path, ...entry }));
    if (entries.length > limit) throw failure('TooManyFiles', `${hash} has more than ${limit} files`);
    return entries;
  };

  readonly loadBlobs = async (
    ids: readonly string[],
    { blobBytes }: BlobLimits,
  ): Promise<ReadonlyMap<string, BlobContent>> => {
    await Promise.resolve();
    if (ids.some((id) => !this.#clone.read.has(id))) this.#remote.reachOut();
    const found = new Map<string, BlobContent>();
    for (const id of ids) {
      const bytes = this.#remote.blobOf(id);
      if (bytes === undefined) throw failure('ObjectMissing', `the server does not have blob ${id}`);
      this.#clone.read.add(id);
      const isTooLarge = bytes.length > blobBytes;
      found.set(id, isTooLarge ? { kind: 'TooLarge', sizeBytes: bytes.length } : { kind: 'Bytes', bytes });
    }
    return found;
  };

  readonly loadSignature = (hash: string): Promise<SignatureStatus> =>
    Promise.resolve(this.#remote.signatureOf(hash));

  readonly keep = (name: string, hash: string): Promise<void> => {
    this.#clone.kept.set(name, hash);
    return Promise.resolve();
  };

  readonly loadKept = (name: string): Promise<string | undefined> =>
    Promise.resolve(this.#clone.kept.get(name));

  #firstParents(head: string): readonly string[] {
    const line: string[] = [];
    let next: string | undefined = head;
    while (next !== undefined) {
      line.push(next);
      next = this.#remote.commitOf(next)?.parents[0];
    }
    return line;
  }
}

/** A name of 40 hexadecimal digits, in the order in which they were given. */
function nameOf(kind: 'b' | 'c', index: number): string {
  return `${kind}${index.toString(16).padStart(39, '0')}`;
}

function failure(code: string, message: string): AdapterError {
  return new AdapterError({ code, message, retryable: true });
}
