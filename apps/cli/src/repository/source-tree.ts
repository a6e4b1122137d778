import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { codeOf, fileFault } from '#kernel';
import { bytesMentionPolicyKind } from '#policy';
import { type FileContent, isBelow, isReadPath, normalPath, type TreeFile } from '#repository';
import { UnusableError } from '../unusable-error.ts';
import { findRevision, findWorkTree, isBareRepository } from './find-revision.ts';
import { runGit, splitNul, tryGit } from './run-git.ts';

/** A tree of files, as a source reads it: from a folder on disk or from a commit. */
export interface SourceTree {
  /** Absolute path of the repository's top. */
  readonly root: string;
  readonly files: readonly TreeFile[];
  readonly content: (file: TreeFile) => FileContent;
}

/** More files than this in one tree is not a policy repository, but a disk. */
const filesMaximum = 500_000;
/** A file above this is not even looked into for names. */
const scanMaximum = 64 * 1024 * 1024;

/** Where the tree of a path begins: the top of its Git work tree, `--root`, or the path itself outside Git. */
export function findRoot(path: string, given: string | undefined): string {
  const absolute = resolve(path);
  const isFolder = isExistingFolder(path);
  if (given !== undefined) return givenRoot(path, given);
  const folder = isFolder ? absolute : dirname(absolute);
  return findWorkTree(folder) ?? absolute;
}

function isExistingFolder(path: string): boolean {
  const found = statusOf(path === '' ? '.' : path);
  if (!found.isFile() && !found.isDirectory())
    throw new UnusableError(`${path} is neither a file nor a folder: it may be a pipe or a device`);
  return found.isDirectory();
}

function statusOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw isAbsent(error) ? new UnusableError(`${path} does not exist`) : unreadable(path, error);
  }
}

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
}

/** What it contains is unknown, so the tree cannot be called valid. */
function unreadable(path: string, error: unknown): UnusableError {
  return new UnusableError(`${path} cannot be read: ${fileFault(error, path)}`);
}

/** `--root`, which the path must lie in: nothing would be reported of one beside it. */
function givenRoot(path: string, given: string): string {
  if (!existsSync(given)) throw new UnusableError(`--root ${given} does not exist`);
  const root = resolve(given);
  const inside = relative(root, resolve(path));
  if (/^\.\.(?:[\\/]|$)/.test(inside) || isAbsolute(inside))
    throw new UnusableError(`${path} is not below --root ${given}`);
  return root;
}

/**
 * Refuses `--path` (or the source's path) where nothing of the tree is below it: nothing would be read, in silence.
 *
 * @throws UnusableError
 */
export function requirePath({ root, files }: SourceTree, path: string): void {
  const folder = normalPath(path);
  if (!files.some((file) => isBelow(file.path, folder)))
    throw new UnusableError(`path ${path} is not in the tree at ${root}`);
}

/**
 * The files of a work tree: those that Git tracks or would add, so that nothing ignored counts; all of them where there
 * is no Git. A root that is one file is a tree of that file.
 *
 * @throws UnusableError where the root is a bare repository, or a folder or file cannot be read
 */
export function readWorkTree(root: string, fileBytes: number): SourceTree {
  if (isBareRepository(root))
    throw new UnusableError(`${root} is a bare Git repository, which has no files: name a clone of it`);
  const isFile = statSync(root).isFile();
  const top = isFile ? dirname(root) : root;
  const paths = isFile ? [root.slice(top.length).replace(/^[/\\]/, '')] : (listByGit(top) ?? listByWalk(top));
  const files = paths.map((path) => treeFile(top, path)).filter((file) => file !== undefined);
  return { root: top, files, content: (file) => readContent(join(top, file.path), fileBytes) };
}

function listByGit(root: string): readonly string[] | undefined {
  if (!existsSync(join(root, '.git'))) return undefined;
  const output = tryGit(root, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  return output === undefined ? undefined : [...new Set(splitNul(output))].sort();
}

function listByWalk(root: string): readonly string[] {
  const paths: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== '.git') folders.push(path);
      } else {
        paths.push(path);
      }
    }
    if (paths.length > filesMaximum) throw new UnusableError(`${root} has more than ${filesMaximum} files`);
  }
  return paths.sort();
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw unreadable(folder, error);
  }
}

function treeFile(root: string, path: string): TreeFile | undefined {
  try {
    const status = lstatSync(join(root, path));
    if (status.isSymbolicLink()) return { path, id: path, type: 'SymbolicLink' };
    if (status.isDirectory()) return { path, id: path, type: 'Submodule' };
    return status.isFile() ? { path, id: path, type: 'File' } : undefined;
  } catch (error) {
    if (!isAbsent(error)) throw unreadable(join(root, path), error);
    // Tracked, and deleted from the disk: the commit to come does not have it.
    return undefined;
  }
}

function readContent(path: string, fileBytes: number): FileContent {
  try {
    return readWithin(path, fileBytes);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function readWithin(path: string, fileBytes: number): FileContent {
  const { size } = statSync(path);
  if (size <= fileBytes) return { kind: 'Bytes', bytes: readFileSync(path) };
  if (size > scanMaximum) return { kind: 'TooLarge', sizeBytes: size };
  return { kind: 'TooLarge', sizeBytes: size, mentionsKind: bytesMentionPolicyKind(readFileSync(path)) };
}

/** The files of a commit. */
export function readRevision(root: string, revision: string, fileBytes: number): SourceTree {
  const files = listRevision(root, revision);
  const wanted = files.filter((file) => file.type === 'File' && isReadPath(file.path));
  const contents = loadBlobs(root, [...new Set(wanted.map(({ id }) => id))], fileBytes);
  return { root, files, content: (file) => contents.get(file.id) ?? { kind: 'TooLarge' } };
}

function listRevision(root: string, revision: string): readonly TreeFile[] {
  const commit = findRevision(root, revision);
  return splitNul(runGit(root, ['ls-tree', '-r', '-z', '--full-tree', commit])).flatMap(
    (line): TreeFile[] => {
      const match = /^(\d+) (\w+) ([0-9a-f]+)\t(.+)$/s.exec(line);
      const [, mode, , id, path] = match ?? [];
      if (id === undefined || path === undefined) return [];
      if (mode === '120000') return [{ path, id, type: 'SymbolicLink' }];
      return [{ path, id, type: mode === '160000' ? 'Submodule' : 'File' }];
    },
  );
}

/** Blobs are read in batches of about this many bytes: git's answer is held at once. */
const batchMaximum = 64 * 1024 * 1024;

/** Reads blobs in batches that memory can hold. One that is too large to be looked into is not read. */
function loadBlobs(
  root: string,
  ids: readonly string[],
  fileBytes: number,
): ReadonlyMap<string, FileContent> {
  const contents = new Map<string, FileContent>();
  let batch: string[] = [];
  let bytes = 0;
  for (const { id, size } of sizesOf(root, ids)) {
    if (size > scanMaximum) continue;
    if (bytes + size > batchMaximum) {
      readBatch(root, batch, { fileBytes, contents });
      batch = [];
      bytes = 0;
    }
    batch.push(id);
    bytes += size;
  }
  readBatch(root, batch, { fileBytes, contents });
  return contents;
}

/** One `<id> blob <size>` per line. */
function sizesOf(root: string, ids: readonly string[]): readonly { id: string; size: number }[] {
  if (ids.length === 0) return [];
  const lines = runGit(root, ['cat-file', '--batch-check'], `${ids.join('\n')}\n`)
    .toString('utf8')
    .split('\n');
  return lines.flatMap((line) => {
    const [id, type, size] = line.split(' ');
    return id === undefined || type !== 'blob' ? [] : [{ id, size: Number(size) }];
  });
}

/** `<id> blob <size>`, a line break, the bytes, a line break. */
function readBatch(
  root: string,
  ids: readonly string[],
  into: { readonly fileBytes: number; readonly contents: Map<string, FileContent> },
): void {
  if (ids.length === 0) return;
  const output = runGit(root, ['cat-file', '--batch'], `${ids.join('\n')}\n`);
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at);
    if (end < 0) break;
    const [id = '', , size = ''] = output.toString('utf8', at, end).split(' ');
    const bytes = output.subarray(end + 1, end + 1 + Number(size));
    into.contents.set(
      id,
      bytes.length <= into.fileBytes
        ? { kind: 'Bytes', bytes }
        : { kind: 'TooLarge', sizeBytes: bytes.length, mentionsKind: bytesMentionPolicyKind(bytes) },
    );
    at = end + 1 + bytes.length + 1;
  }
}
