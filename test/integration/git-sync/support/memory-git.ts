import { createHash } from 'node:crypto';

import { AdapterError } from '#kernel';
import type {
  BlobContent,
  CommitInfo,
  CommitRange,
  GitLocation,
  GitPort,
  GitRepositoryPort,
  SignatureStatus,
  TreeEntry,
} from '#reconciliation';

/** What a commit changes: a file's text, a symbolic link, a submodule, or null where it is deleted. */
export type MemoryChanges = Readonly<Record<string, string | { readonly mode: '120000' | '160000' } | null>>;

type MemoryFiles = ReadonlyMap<string, { readonly mode: string; readonly text: string }>;

interface MemoryCommit extends CommitInfo {
  readonly files: MemoryFiles;
  readonly signature: SignatureStatus;
}

/** How a commit is made; the parent is the branch's head, the author Ada. */
export interface MemoryCommitOptions {
  readonly parents?: readonly string[];
  readonly author?: string;
  readonly signature?: SignatureStatus;
  readonly ref?: string;
}

/** A remote repository in memory: for tables of commits, of which a real Git makes two a second. */
export class MemoryRemote {
  readonly #commits = new Map<string, MemoryCommit>();
  readonly #refs = new Map<string, string>();
  /** Nobody can reach it. */
  isDown = false;

  /** Commits on `main`, or on the ref that is named; answers the hash. */
  commit(subject: string, changes: MemoryChanges, options: MemoryCommitOptions = {}): string {
    const { author = 'ada', signature = { status: 'Unsigned' }, ref = 'refs/heads/main' } = options;
    const head = this.#refs.get(ref);
    const parents = options.parents ?? (head === undefined ? [] : [head]);
    const files = changed(this.#commits.get(parents[0] ?? '')?.files, changes);
    const hash = hashOf(JSON.stringify([subject, parents, [...files], this.#commits.size]));
    const person = { name: author, email: `${author}@example.com`, time: '2026-01-01T00:00:00.000Z' };
    const info = { hash, tree: hash, parents, author: person, committer: person, subject, message: subject };
    this.#commits.set(hash, { ...info, files, signature });
    this.#refs.set(ref, hash);
    return hash;
  }

  /** Gives a ref another head, as a force-push does. */
  point(ref: string, hash: string): void {
    this.#refs.set(ref, hash);
  }

  head(ref: string): string {
    if (this.isDown) throw failure('Unreachable', 'the server does not answer', true);
    const hash = this.#refs.get(ref) ?? (this.#commits.has(ref) ? ref : undefined);
    if (hash === undefined) throw failure('RefNotFound', `there is no ${ref}`);
    return hash;
  }

  commitOf(hash: string): MemoryCommit {
    const found = this.#commits.get(hash);
    if (found === undefined) throw failure('CommandFailed', `there is no ${hash}`);
    return found;
  }

  /** A commit and everything before it, nearest first. */
  before(hash: string): ReadonlySet<string> {
    const found = new Set([hash]);
    for (const each of found) for (const parent of this.commitOf(each).parents) found.add(parent);
    return found;
  }
}

/** Git over remotes in memory, by their URL. What was fetched stays readable while a remote is down. */
export class MemoryGit implements GitPort {
  readonly #remotes = new Map<string, MemoryRemote>();
  readonly #clones = new Map<string, MemoryClone>();

  remote(url: string): MemoryRemote {
    const remote = this.#remotes.get(url) ?? new MemoryRemote();
    this.#remotes.set(url, remote);
    return remote;
  }

  /** Another URL of the same repository. */
  mirror(url: string, of: string): void {
    this.#remotes.set(url, this.remote(of));
  }

  readonly open = (location: GitLocation): Promise<GitRepositoryPort> => {
    const key = `${location.source} ${location.url}`;
    const clone = this.#clones.get(key) ?? new MemoryClone(this.remote(location.url));
    this.#clones.set(key, clone);
    return Promise.resolve(clone.at(location.ref));
  };
}

class MemoryClone {
  readonly #remote: MemoryRemote;
  readonly #fetched = new Set<string>();
  readonly #kept = new Map<string, string>();

  constructor(remote: MemoryRemote) {
    this.#remote = remote;
  }

  at(ref: string): GitRepositoryPort {
    return {
      fetchHead: async () => Promise.resolve(this.#fetch(ref)),
      hasCommit: async (hash) => Promise.resolve(this.#fetched.has(hash)),
      loadCommit: async (hash) => Promise.resolve(this.#local(hash)),
      loadAncestry: async (ancestor, descendant) =>
        Promise.resolve(
          !this.#fetched.has(ancestor)
            ? 'Unknown'
            : this.#remote.before(descendant).has(ancestor)
              ? 'Descendant'
              : 'NotDescendant',
        ),
      loadRange: async (range, limit) => Promise.resolve(this.#range(range, limit)),
      loadTree: async (hash) => Promise.resolve(this.#tree(hash)),
      loadBlobs: async (ids, limits) =>
        Promise.resolve(new Map(ids.map((id) => [id, this.#blob(id, limits.blobBytes)]))),
      loadSignature: async (hash) => Promise.resolve(this.#local(hash).signature),
      keep: async (name, hash) => {
        await Promise.resolve();
        this.#kept.set(name, hash);
      },
      loadKept: async (name) => Promise.resolve(this.#kept.get(name)),
    };
  }

  #fetch(ref: string): string {
    const head = this.#remote.head(ref);
    for (const hash of this.#remote.before(head)) this.#fetched.add(hash);
    return head;
  }

  #local(hash: string): MemoryCommit {
    if (!this.#fetched.has(hash)) throw failure('CommandFailed', `${hash} was not fetched`);
    return this.#remote.commitOf(hash);
  }

  #range({ since, head, line }: CommitRange, limit: number): readonly string[] {
    if (line === 'Head' || since === undefined) return [head];
    if (!this.#fetched.has(since)) throw failure('CommandFailed', `there is no ${since}`);
    const known = this.#remote.before(since);
    const all = line === 'Every' ? [...this.#remote.before(head)] : this.#firstParents(head);
    const found = all.filter((hash) => !known.has(hash));
    if (found.length > limit) throw failure('TooManyCommits', `there are more than ${limit} commits`);
    return found;
  }

  #firstParents(head: string): readonly string[] {
    const found: string[] = [];
    for (let hash: string | undefined = head; hash !== undefined; hash = this.#local(hash).parents[0])
      found.push(hash);
    return found;
  }

  #tree(hash: string): readonly TreeEntry[] {
    return [...this.#local(hash).files]
      .map(([path, { mode, text }]) => ({ path, mode, id: hashOf(text) }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  #blob(id: string, maximum: number): BlobContent {
    for (const hash of this.#fetched)
      for (const { text } of this.#remote.commitOf(hash).files.values())
        if (hashOf(text) === id) {
          const bytes = new TextEncoder().encode(text);
          return bytes.length > maximum
            ? { kind: 'TooLarge', sizeBytes: bytes.length }
            : { kind: 'Bytes', bytes };
        }
    throw failure('CommandFailed', `there is no blob ${id}`);
  }
}

function changed(before: MemoryFiles | undefined, changes: MemoryChanges): MemoryFiles {
  const files = new Map(before);
  for (const [path, change] of Object.entries(changes)) {
    if (change === null) files.delete(path);
    else if (typeof change === 'string') files.set(path, { mode: '100644', text: change });
    else files.set(path, { mode: change.mode, text: path });
  }
  return files;
}

function failure(code: string, message: string, retryable = false): AdapterError {
  return new AdapterError({ code, message, retryable });
}

function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
