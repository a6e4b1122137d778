import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitAdapter } from '#adapter-git';
import type { GitRepositoryPort } from '#git-sync';
import {
  temporaryFolder,
  TemporaryRepository,
} from '../integration/git-sync/support/temporary-repository.ts';

const run = promisify(execFile);
const limits = { bytes: 64 * 1024 * 1024, milliseconds: 60_000 };
const blobLimits = { ...limits, blobBytes: 5 * 1024 * 1024 };

/** Objects that a server may hold, and that git itself would not write. */
describe('hostile objects of a Git server', () => {
  let origin: TemporaryRepository;
  let folder: string;

  beforeEach(async () => {
    origin = await TemporaryRepository.create();
    folder = await temporaryFolder();
  });

  afterEach(() => origin.remove());

  async function open(): Promise<GitRepositoryPort> {
    const adapter = await GitAdapter.create({ folder, now: () => Date.now() });
    return adapter.open({ source: 'hostile', url: origin.url, ref: 'refs/heads/main' });
  }

  /** Writes an object as it is, and answers its id. */
  async function write(type: 'commit' | 'tree', body: string | Buffer): Promise<string> {
    const writing = run('git', ['hash-object', '-t', type, '-w', '--stdin', '--literally'], {
      cwd: origin.folder,
    });
    writing.child.stdin?.end(body);
    return (await writing).stdout.trim();
  }

  /** Makes a commit of a tree, with an author line of any form, the head of the branch. */
  async function commit(tree: string, author: string): Promise<string> {
    const committer = 'committer Carl <carl@example.com> 1 +0000';
    const hash = await write('commit', `tree ${tree}\nauthor ${author}\n${committer}\n\nHostile\n`);
    await origin.git('update-ref', 'refs/heads/main', hash);
    return hash;
  }

  const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

  it.each([
    { name: 'an author line of brackets', author: '<'.repeat(4_096) },
    { name: 'two addresses', author: 'Ada <ada@example.com> <boss@example.com> 1 +0000' },
    { name: 'no address', author: 'Ada 1 +0000' },
  ])('are refused as they arrive: $name', async ({ author }) => {
    await commit(emptyTree, author);
    await expect((await open()).fetchHead(limits)).rejects.toMatchObject({ code: 'ObjectInvalid' });
  });

  it.each([
    { name: 'a time zone of six digits', author: 'Ada <ada@example.com> 1312735823 +051800' },
    { name: 'no date', author: 'Ada <ada@example.com>' },
  ])('are read where well-known repositories hold such ones: $name', async ({ author }) => {
    const head = await commit(emptyTree, author);
    const repository = await open();
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
    await expect(repository.loadCommit(head)).resolves.toMatchObject({
      author: { email: 'ada@example.com' },
    });
  });

  it('are read where well-known repositories hold such ones: folders of mode 040000', async () => {
    const inner = await write('tree', Buffer.alloc(0));
    const entry = Buffer.concat([Buffer.from('040000 folder\0'), Buffer.from(inner, 'hex')]);
    const head = await commit(await write('tree', entry), 'Ada <ada@example.com> 1 +0000');
    await expect((await open()).fetchHead(limits)).resolves.toBe(head);
  });

  it('are refused: a tree with a path twice, also behind a defect that is tolerated', async () => {
    const ids = await Promise.all(['a: 1\n', 'a: 2\n'].map((text) => store(text)));
    const entries = ids.map((id) => Buffer.concat([Buffer.from('100644 a.yaml\0'), Buffer.from(id, 'hex')]));
    const inner = await write('tree', Buffer.concat(entries));
    const outer = Buffer.concat([Buffer.from('040000 folder\0'), Buffer.from(inner, 'hex')]);
    const head = await commit(await write('tree', outer), 'Ada <ada@example.com> 1 +0000');
    const repository = await open();
    const reading = repository.fetchHead(limits).then(() => repository.loadTree(head, 10));
    await expect(reading).rejects.toMatchObject({ code: 'ObjectInvalid' });
  });

  it('take no memory beyond the limit: zeros that expand a thousandfold', async () => {
    const { id, pack } = packOfZeros(bombMebibytes);
    await index(pack);
    const tree = await mkTree([id]);
    const head = await commit(tree, 'Ada <ada@example.com> 1 +0000');
    // The server sends them whole, without a delta.
    await origin.git('config', 'core.bigFileThreshold', '1m');
    const repository = await open();
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
    const blobs = await repository.loadBlobs([id], blobLimits);
    // Its size is known: it arrived, and was never held whole.
    expect(blobs.get(id)).toEqual({ kind: 'TooLarge', sizeBytes: bombMebibytes * 1024 * 1024 });
    expect(await sizeOf(folder)).toBeLessThan(limits.bytes);
  }, 180_000);

  it('take no memory beyond the limit: a pack of some kilobytes whose delta expands beyond it', async () => {
    const { base, expanded, pack } = expandingPack();
    expect(pack.length).toBeLessThan(64 * 1024);
    await index(pack);
    const head = await commit(await mkTree([base, expanded]), 'Ada <ada@example.com> 1 +0000');
    const repository = await open();
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
    const blobs = await repository.loadBlobs([base, expanded], blobLimits);
    expect(blobs.get(base)).toEqual({ kind: 'TooLarge', sizeBytes: pieceBytes });
    expect(blobs.get(expanded)).toMatchObject({ kind: 'TooLarge' });
    expect(await sizeOf(folder)).toBeLessThan(limits.bytes);
  }, 180_000);

  it('are a missing blob, and named, where the server lacks one', async () => {
    await origin.commit('One', { 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 1\n' });
    const lost = await origin.git('rev-parse', 'HEAD:b.yaml');
    const kept = await origin.git('rev-parse', 'HEAD:a.yaml');
    await run('rm', ['-f', join(origin.folder, '.git', 'objects', lost.slice(0, 2), lost.slice(2))]);
    const repository = await open();
    await repository.fetchHead(limits);
    await expect(repository.loadBlobs([kept, lost], blobLimits)).rejects.toMatchObject({
      code: 'ObjectMissing',
      message: `the server does not have blob ${lost}`,
    });
  });

  /** Puts a pack into the server's repository. */
  async function index(pack: Buffer): Promise<void> {
    const indexing = run('git', ['-c', 'core.bigFileThreshold=1m', 'index-pack', '--stdin'], {
      cwd: origin.folder,
    });
    indexing.child.stdin?.end(pack);
    await indexing;
  }

  async function store(text: string): Promise<string> {
    const storing = run('git', ['hash-object', '-w', '--stdin'], { cwd: origin.folder });
    storing.child.stdin?.end(text);
    return (await storing).stdout.trim();
  }

  async function mkTree(ids: readonly string[]): Promise<string> {
    const making = run('git', ['mktree'], { cwd: origin.folder });
    making.child.stdin?.end(ids.map((id, index) => `100644 blob ${id}\tf${index}.yaml\n`).join(''));
    return (await making).stdout.trim();
  }
});

/** The largest piece that one instruction of a delta copies. */
const pieceBytes = 0xff_ff_ff;
const pieces = 36;

/** A pack of a blob of zeros, and of one that is 36 of it, more than the git that receives it may map: the ids of both. */
function expandingPack(): { readonly base: string; readonly expanded: string; readonly pack: Buffer } {
  const base = Buffer.alloc(pieceBytes);
  const baseId = blobId(pieceBytes, [base]);
  const copies = Buffer.alloc(pieces * 4, Buffer.from([0xf0, 0xff, 0xff, 0xff]));
  const delta = Buffer.concat([deltaSize(pieceBytes), deltaSize(pieceBytes * pieces), copies]);
  const objects = [
    entryHeader(3, base.length),
    deflateSync(base, { level: 9 }),
    entryHeader(7, delta.length),
    Buffer.from(baseId, 'hex'),
    deflateSync(delta),
  ];
  const expanded = blobId(
    pieceBytes * pieces,
    Array.from({ length: pieces }, () => base),
  );
  return { base: baseId, expanded, pack: packOf(2, objects) };
}

function blobId(size: number, parts: readonly Buffer[]): string {
  const hash = createHash('sha1').update(`blob ${size}\0`);
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** Of an object in a pack: its type, and its size in 4 and then 7 bits at a time. */
function entryHeader(type: number, size: number): Buffer {
  const rest = Math.floor(size / 16);
  const first = (type << 4) | (size % 16);
  return rest === 0 ? Buffer.from([first]) : Buffer.concat([Buffer.from([first | 0x80]), deltaSize(rest)]);
}

/** 7 bits at a time, the lowest first. */
function deltaSize(size: number): Buffer {
  const bytes: number[] = [];
  for (let left = size; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) | 0x80);
  }
}

/** More than the address space of the git that receives it. */
const bombMebibytes = 520;

const mebibyte = Buffer.alloc(1024 * 1024);

/** A pack of a blob of zeros, whole, and its id; made without compressing more than a mebibyte of them. */
function packOfZeros(mebibytes: number): { readonly id: string; readonly pack: Buffer } {
  const size = mebibytes * mebibyte.length;
  // Each mebibyte is a block that refers to none before it, so that the blocks can be repeated.
  const block = deflateRawSync(mebibyte, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const blocks = Array.from({ length: mebibytes }, () => block);
  const end = deflateRawSync(Buffer.alloc(0));
  const checksum = Buffer.alloc(4);
  // Adler-32 of zeros.
  checksum.writeUInt16BE(size % 65_521, 0);
  checksum.writeUInt16BE(1, 2);
  const zlibHeader = Buffer.from([0x78, 0x9c]);
  const objects = [entryHeader(3, size), zlibHeader, ...blocks, end, checksum];
  return {
    id: blobId(
      size,
      Array.from({ length: mebibytes }, () => mebibyte),
    ),
    pack: packOf(1, objects),
  };
}

/** A pack of so many objects, which are given as their bytes. */
function packOf(count: number, objects: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('PACK'), Buffer.from([0, 0, 0, 2, 0, 0, 0, count]), ...objects]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
