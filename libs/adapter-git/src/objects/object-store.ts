import type { BlobContent, CommitInfo, TreeEntry } from '#git-sync';
import { AdapterError } from '#kernel';
import { maximumBatchBytes, maximumCommitBytes, maximumTreeBytes } from '../run/git-limits.ts';
import type { GitCommand, GitRunner } from '../run/git-runner.ts';
import { parseCommit } from './commit-info.ts';
import { checkedHash } from './git-ref.ts';

/** An object that is on disk. */
export interface StoredObject {
  readonly type: string;
  readonly sizeBytes: number;
}

/** A line of `cat-file --batch-check`: 64 digits, a type, a size. */
const checkLineBytes = 128;

/** Which of these objects are on disk, and how large. What is not there is not in the map, and is not fetched. */
export async function loadStored(
  runner: GitRunner,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredObject>> {
  if (ids.length === 0) return new Map();
  const text = await runner.text({
    what: 'look at objects',
    args: ['cat-file', '--batch-check'],
    input: ids.map((id) => `${checkedHash(id)}\n`).join(''),
    maximumOutputBytes: ids.length * checkLineBytes,
  });
  const stored = new Map<string, StoredObject>();
  for (const line of text.split('\n')) {
    const [id, type, size] = line.split(' ');
    if (id !== undefined && type !== undefined && size !== undefined)
      stored.set(id, { type, sizeBytes: Number(size) });
  }
  return stored;
}

/**
 * The commit.
 *
 * @throws AdapterError where it is not on disk
 */
export async function loadCommit(runner: GitRunner, hash: string): Promise<CommitInfo> {
  const text = await runner.text({
    what: `read commit ${hash}`,
    args: ['cat-file', 'commit', checkedHash(hash)],
    maximumOutputBytes: maximumCommitBytes,
  });
  return parseCommit(hash, text);
}

/** The commit that a revision names (`refs/heads/main^{commit}`); undefined where it names none that is on disk. */
export async function loadNamedCommit(runner: GitRunner, revision: string): Promise<CommitInfo | undefined> {
  const bytes = await runner.bytes({
    what: `read ${revision}`,
    args: ['cat-file', '--batch'],
    input: `${revision}\n`,
    maximumOutputBytes: maximumCommitBytes,
  });
  const end = bytes.indexOf(10);
  const [hash, type] = bytes.toString('latin1', 0, end).split(' ');
  if (hash === undefined || type !== 'commit') return undefined;
  return parseCommit(hash, bytes.toString('utf8', end + 1, bytes.length - 1).replace(/\n$/, ''));
}

/** All leaves of a commit's tree as git lists them; undefined where a tree is not on disk. */
export async function listTree(runner: GitRunner, hash: string): Promise<string | undefined> {
  const { status, output } = await runner.status(listing(hash));
  return status === 0 ? output : undefined;
}

/**
 * All leaves of a commit's tree, in the order of git.
 *
 * @throws AdapterError `TooManyFiles`
 */
export async function loadTree(
  runner: GitRunner,
  hash: string,
  limit: number,
): Promise<readonly TreeEntry[]> {
  return parseListing(await loadListing(runner, hash), { hash, limit });
}

/**
 * The same; what is not on disk is an error.
 *
 * @throws AdapterError
 */
export function loadListing(runner: GitRunner, hash: string): Promise<string> {
  return runner.text(listing(hash));
}

function listing(hash: string): GitCommand {
  return {
    what: `list ${hash}`,
    args: ['ls-tree', '-r', '-z', '--full-tree', checkedHash(hash)],
    maximumOutputBytes: maximumTreeBytes,
  };
}

/**
 * The entries of a listing.
 *
 * @throws AdapterError `TooManyFiles`, or `ObjectInvalid` where a path is there twice.
 */
export function parseListing(
  text: string,
  { hash, limit }: { readonly hash: string; readonly limit: number },
): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  const paths = new Set<string>();
  for (const line of text.split('\0')) {
    const entry = treeEntry(line);
    if (entry === undefined) continue;
    // What reviewers were shown of such a tree is not what would be read.
    if (paths.has(entry.path)) throw duplicatePath(hash, entry.path);
    paths.add(entry.path);
    if (entries.length === limit) throw tooManyFiles(hash, limit);
    entries.push(entry);
  }
  return entries;
}

function treeEntry(line: string): TreeEntry | undefined {
  const tab = line.indexOf('\t');
  if (tab === -1) return undefined;
  const [mode, , id] = line.slice(0, tab).split(' ');
  return mode === undefined || id === undefined ? undefined : { mode, id, path: line.slice(tab + 1) };
}

/** What to read, and the size from which a blob is not read. */
export interface BlobRequest {
  /** What is on disk. */
  readonly stored: ReadonlyMap<string, StoredObject>;
  readonly blobBytes: number;
}

/** Reads blobs that are on disk. */
export async function readBlobs(
  runner: GitRunner,
  request: BlobRequest,
): Promise<ReadonlyMap<string, BlobContent>> {
  const read = new Map<string, BlobContent>();
  let batch: string[] = [];
  let batchBytes = 0;
  for (const [id, { sizeBytes }] of request.stored) {
    if (sizeBytes > request.blobBytes) {
      read.set(id, { kind: 'TooLarge', sizeBytes });
      continue;
    }
    if (batchBytes + sizeBytes > maximumBatchBytes && batch.length > 0) {
      await readBatch(runner, batch, read);
      batch = [];
      batchBytes = 0;
    }
    batch.push(id);
    batchBytes += sizeBytes + checkLineBytes;
  }
  if (batch.length > 0) await readBatch(runner, batch, read);
  return read;
}

async function readBatch(
  runner: GitRunner,
  ids: readonly string[],
  read: Map<string, BlobContent>,
): Promise<void> {
  const bytes = await runner.bytes({
    what: 'read blobs',
    args: ['cat-file', '--batch'],
    input: ids.map((id) => `${id}\n`).join(''),
    maximumOutputBytes: 2 * maximumBatchBytes,
  });
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(10, at);
    const [id, type, size] = bytes.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (id === undefined || type === undefined || size === undefined) continue;
    const sizeBytes = Number(size);
    // A copy: a slice would keep the whole batch alive.
    read.set(id, { kind: 'Bytes', bytes: Uint8Array.from(bytes.subarray(at, at + sizeBytes)) });
    at += sizeBytes + 1;
  }
}

function duplicatePath(hash: string, path: string): AdapterError {
  return new AdapterError({
    code: 'ObjectInvalid',
    message: `the tree of ${hash} has ${JSON.stringify(path)} twice`,
    retryable: true,
  });
}

function tooManyFiles(hash: string, limit: number): AdapterError {
  return new AdapterError({
    code: 'TooManyFiles',
    message: `commit ${hash} has more than ${limit} files`,
    retryable: false,
  });
}
