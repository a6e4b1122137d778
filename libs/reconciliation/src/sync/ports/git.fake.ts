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

/** One commit as a test writes it: what is not named stays as its first parent has it. */
export interface FakeCommit {
  /** Subject, or a whole message. */
  readonly message: string;
  /** Contents by path; null removes. */
  readonly files?: Readonly<Record<string, string | Uint8Array | null>>;
  /** By default what the ref points at. */
  readonly parents?: readonly string[];
  /** By default `refs/heads/main`; it is moved to the new commit. */
  readonly ref?: string;
}

const author = { name: 'Ada Author', email: 'ada@example.com' };
const committer = { name: 'Carl Committer', email: 'carl@example.com' };
const firstSecond = Date.parse('2026-01-01T00:00:00Z') / 1000;
const encoder = new TextEncoder();

/** Repositories in memory, by their URL. */
export class FakeGit implements GitPort {
  readonly #origins = new Map<string, FakeOrigin>();

  /** The repository behind a URL, made where there is none. */
  origin(url: string): FakeOrigin {
    const known = this.#origins.get(url) ?? new FakeOrigin();
    this.#origins.set(url, known);
    return known;
  }

  readonly open = ({ url, ref }: GitLocation): Promise<GitRepositoryPort> =>
    Promise.resolve(new FakeRepository(this.origin(url), ref));
}

/** What a server has. */
export class FakeOrigin {
  /** Where set, every fetch ends with it: the server is down. */
  failure: AdapterError | undefined;
  readonly #commits = new Map<string, CommitInfo>();
  readonly #trees = new Map<string, ReadonlyMap<string, string>>();
  readonly #blobs = new Map<string, Uint8Array>();
  /** Names of blobs by their content. */
  readonly #ids = new Map<string, string>();
  readonly #refs = new Map<string, string>();
  readonly #signatures = new Map<string, SignatureStatus>();

  /** Adds a commit, one second after the one before, and answers its hash. */
  commit({ message, files = {}, ref = 'refs/heads/main', parents }: FakeCommit): string {
    const head = this.#refs.get(ref);
    const from = parents ?? (head === undefined ? [] : [head]);
    const tree = new Map(this.treeOf(from[0] ?? ''));
    for (const [path, content] of Object.entries(files)) {
      if (content === null) tree.delete(path);
      else tree.set(path, this.#store(content));
    }
    const hash = nameOf('c', this.#commits.size);
    const time = new Date((firstSecond + this.#commits.size) * 1000).toISOString();
    this.#commits.set(hash, {
      hash,
      tree: hash.replace(/^c/, 'd'),
      parents: from,
      author: { ...author, time },
      committer: { ...committer, time },
      subject: message.split('\n', 1)[0] ?? '',
      message,
    });
    this.#trees.set(hash, tree);
    this.point(ref, hash);
    return hash;
  }

  /** Moves a ref: a force-push, a tag. */
  point(ref: string, hash: string): void {
    this.#refs.set(ref, hash);
  }

  /** What checking the commit's signature finds; by default it has none. */
  sign(hash: string, status: SignatureStatus): void {
    this.#signatures.set(hash, status);
  }

  resolve(ref: string): string | undefined {
    return this.#refs.get(ref) ?? this.#refs.get(`refs/heads/${ref}`) ?? this.#commits.get(ref)?.hash;
  }

  commitOf(hash: string): CommitInfo | undefined {
    return this.#commits.get(hash);
  }

  treeOf(hash: string): ReadonlyMap<string, string> {
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

/** A source's own repository: it knows what it has fetched. */
class FakeRepository implements GitRepositoryPort {
  readonly #origin: FakeOrigin;
  readonly #ref: string;
  readonly #known = new Set<string>();
  readonly #read = new Set<string>();
  readonly #kept = new Map<string, string>();

  constructor(origin: FakeOrigin, ref: string) {
    this.#origin = origin;
    this.#ref = ref;
  }

  readonly fetchHead = async (): Promise<string> => {
    await this.#reach();
    const hash = this.#origin.resolve(this.#ref);
    if (hash === undefined) throw failure('RefNotFound', `the repository has no ${this.#ref}`);
    for (const each of this.#origin.reach(hash)) this.#known.add(each);
    return hash;
  };

  readonly hasCommit = (hash: string): Promise<boolean> => Promise.resolve(this.#known.has(hash));

  readonly loadCommit = async (hash: string): Promise<CommitInfo> => {
    const commit = this.#known.has(hash) ? this.#origin.commitOf(hash) : undefined;
    return commit ?? Promise.reject(failure('GitFailed', `there is no commit ${hash}`));
  };

  readonly loadAncestry = (ancestor: string, descendant: string): Promise<Ancestry> => {
    if (!this.#known.has(ancestor) || !this.#known.has(descendant)) return Promise.resolve('Unknown');
    const isReached = this.#origin.reach(descendant).includes(ancestor);
    return Promise.resolve(isReached ? 'Descendant' : 'NotDescendant');
  };

  readonly loadRange = async (
    { since, head, line }: CommitRange,
    limit: number,
  ): Promise<readonly string[]> => {
    if (line === 'Head' || since === undefined) return [head];
    const excluded = new Set(this.#origin.reach(since));
    const wanted = line === 'Every' ? this.#origin.reach(head) : this.#firstParents(head);
    const hashes = wanted.filter((hash) => !excluded.has(hash));
    if (hashes.length > limit)
      throw failure('TooManyCommits', `there are more than ${limit} commits to look at`);
    return Promise.resolve(hashes);
  };

  readonly loadTree = async (hash: string, limit: number): Promise<readonly TreeEntry[]> => {
    await this.loadCommit(hash);
    const entries = [...this.#origin.treeOf(hash)]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([path, id]): TreeEntry => ({ path, id, mode: '100644' }));
    if (entries.length > limit) throw failure('TooManyFiles', `${hash} has more than ${limit} files`);
    return entries;
  };

  readonly loadBlobs = async (
    ids: readonly string[],
    { blobBytes }: BlobLimits,
  ): Promise<ReadonlyMap<string, BlobContent>> => {
    if (ids.some((id) => !this.#read.has(id))) await this.#reach();
    const found = new Map<string, BlobContent>();
    for (const id of ids) {
      const bytes = this.#origin.blobOf(id);
      if (bytes === undefined) throw failure('ObjectMissing', `the server did not send blob ${id}`);
      this.#read.add(id);
      const isTooLarge = bytes.length > blobBytes;
      found.set(id, isTooLarge ? { kind: 'TooLarge', sizeBytes: bytes.length } : { kind: 'Bytes', bytes });
    }
    return found;
  };

  readonly loadSignature = (hash: string): Promise<SignatureStatus> =>
    Promise.resolve(this.#origin.signatureOf(hash));

  readonly keep = (name: string, hash: string): Promise<void> => {
    this.#kept.set(name, hash);
    return Promise.resolve();
  };

  readonly loadKept = (name: string): Promise<string | undefined> => Promise.resolve(this.#kept.get(name));

  #reach(): Promise<void> {
    const { failure: down } = this.#origin;
    return down === undefined ? Promise.resolve() : Promise.reject(down);
  }

  #firstParents(head: string): readonly string[] {
    const line: string[] = [];
    let next: string | undefined = head;
    while (next !== undefined) {
      line.push(next);
      next = this.#origin.commitOf(next)?.parents[0];
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
