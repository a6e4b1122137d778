import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LedgerReader } from '#adapter-sql';
import {
  administrationScope,
  adminStream,
  type CheckpointPort,
  type EntryKind,
  type EntryOf,
  type EntryQuery,
  exportedHead,
  type ExportFilter,
  fenceExpirySeconds,
  generateSigningKey,
  isSignedWith,
  type LedgerPort,
  LedgerWriter,
  merkleLeaf,
  MerkleRoot,
  noteHash,
  parseCheckpointNote,
  parseKeyRotationNote,
  parseSigningKey,
  parseVerificationKey,
  publicKeyText,
  readSnapshot,
  sha256Bytes,
  type StreamHead,
} from '#ledger';
import { takeFence } from '#ledger/testing';
import { ageFences } from '../../../../test/contract/ledger/empty-ledger-tables.ts';
import { anEventDraft, appended, timeAfter } from '../../../../test/support/ledger-builders.ts';
import { startPostgres, type TestPostgres } from '../../../../test/support/postgres.ts';
import {
  countOf,
  openSealedWorld,
  type SealedWorld,
  sealOnce,
} from '../../../../test/support/sealed-world.ts';
import type { CheckpointerOptions } from './checkpointer.ts';

let folder = '';
let postgres: TestPostgres;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-checkpoints-'));
  postgres = await startPostgres();
}, 60_000);

afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true });
});

let worlds = 0;

function aWorld(url: string, checkpoints: object = {}): Promise<SealedWorld> {
  return openSealedWorld({ url, place: join(folder, `world-${(worlds += 1)}`), checkpoints });
}

async function rootOfSealed({ port }: SealedWorld): Promise<string> {
  const tree = new MerkleRoot(sha256Bytes);
  for (const head of await port.sealedHeads({ limit: 10 }))
    tree.add(merkleLeaf(exportedHead(head), sha256Bytes));
  return Buffer.from(tree.root).toString('hex');
}

async function rootOfLastNote({ port }: SealedWorld): Promise<string | undefined> {
  return parseCheckpointNote((await port.lastNote()) ?? '')?.body.root;
}

const everything: ExportFilter = { from: null, until: null, namespaces: null, policies: null, kinds: null };

/** Of a process that is killed before it saves a note. */
function withoutSaving(port: CheckpointPort): CheckpointPort {
  return {
    ledgerId: () => port.ledgerId(),
    lastNote: () => port.lastNote(),
    unsealedHeads: () => port.unsealedHeads(),
    seal: (fence) => port.seal(fence),
    nextHeads: (page) => port.nextHeads(page),
    sealedHeads: (page) => port.sealedHeads(page),
    contradiction: () => port.contradiction(),
    saveNote: () => Promise.reject(new Error('the process was killed')),
    restoredBackup: () => port.restoredBackup(),
    raiseEpochs: (floor, fence) => port.raiseEpochs(floor, fence),
    forgetRestoredBackup: (fence) => port.forgetRestoredBackup(fence),
  };
}

describe.each([
  { name: 'SQLite', url: () => Promise.resolve(`sqlite:${join(folder, `ledger-${worlds}.db`)}`) },
  { name: 'PostgreSQL', url: () => postgres.createDatabase(`checkpoints-${worlds}`) },
])('checkpoints on $name', ({ url }) => {
  let world: SealedWorld;
  let location = '';

  beforeEach(async () => {
    location = await url();
    const keyFile = join(folder, `configured-${worlds}.pem`);
    await writeFile(keyFile, generateSigningKey());
    world = await aWorld(location, { keyFile, outputFile: join(folder, `notes-${worlds}`) });
  });

  it('are signed over the heads of one moment, and each names the one before', async () => {
    const checkpointer = world.checkpointer();
    await checkpointer.start();
    await world.append(1);
    const heads = await world.database.ledger.listHeads({ limit: 10 });
    await world.turn();
    await world.append(2);
    await world.turn();
    const notes = await world.notes();
    const [first, second] = notes.map((note) => parseCheckpointNote(note)!);
    const tree = new MerkleRoot(sha256Bytes);
    for (const head of heads) tree.add(merkleLeaf(exportedHead(head), sha256Bytes));
    expect(first?.body).toEqual({
      origin: `plimsoll/test/${await world.port.ledgerId()}`,
      number: 1n,
      previous: '0'.repeat(64),
      streams: 1n,
      entries: 1n,
      root: Buffer.from(tree.root).toString('hex'),
      time: timeAfter(0),
    });
    expect(second?.body).toMatchObject({
      number: 2n,
      previous: noteHash(notes[0]!),
      streams: 2n,
      entries: 3n,
    });
    const key = parseVerificationKey(await readFile(join(world.place, 'checkpoint-key.pub'), 'utf8'));
    expect([first, second].map((note) => isSignedWith(note!, key))).toEqual([true, true]);
    expect(await world.port.lastNote()).toBe(notes[1]);
    await checkpointer.stop();
    await world.database.close();
  });

  it('are made only where something else than the last of them is new, and at the end', async () => {
    const checkpointer = world.checkpointer();
    await checkpointer.start();
    await world.turn();
    expect(await world.notes()).toHaveLength(0);
    await world.append(1);
    for (let round = 0; round < 3; round += 1) await world.turn();
    expect(await world.notes()).toHaveLength(1);
    await world.append(2);
    await checkpointer.stop();
    expect(await world.notes()).toHaveLength(2);
    await world.turn();
    expect(await world.notes()).toHaveLength(2);
    await world.database.close();
  });

  it('are over the heads that were taken over last, however often nothing is new', async () => {
    const checkpointer = world.checkpointer();
    await checkpointer.start();
    await world.append(1);
    for (let round = 0; round < 3; round += 1) await world.turn();
    await checkpointer.stop();
    expect(await rootOfSealed(world)).toBe(await rootOfLastNote(world));
    await world.database.close();
  });

  it('follow heads that a crash of an earlier release left without a note, though nothing is new', async () => {
    const sealAsBefore = {
      sql: `INSERT INTO sealed_head (stream, seq, hash) SELECT stream, seq, hash FROM stream_head WHERE true
        ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, hash = excluded.hash`,
    };
    await world.append(1);
    await world.database.sql.transaction([sealAsBefore]);
    for (let start = 0; start < 2; start += 1) {
      const checkpointer = world.checkpointer();
      await checkpointer.start();
      await world.turn();
      expect(await world.notes()).toHaveLength(start + 1);
      expect(await rootOfSealed(world)).toBe(await rootOfLastNote(world));
      // What the checkpoint itself appended.
      await world.database.sql.transaction([sealAsBefore]);
    }
    await world.database.close();
  });

  it('leave the one before with its heads until they are saved, so that an export after a crash is proven', async () => {
    const exported = async (): Promise<string | undefined> => {
      const reader = await LedgerReader.open(location);
      try {
        const snapshot = await readSnapshot(reader, everything);
        // Null is a note that does not fit the sealed heads.
        return snapshot === null ? 'unfit' : snapshot.checkpoint?.note;
      } finally {
        await reader.close();
      }
    };
    const seals: (() => Promise<void>)[] = [
      () => world.port.seal(world.fence),
      async () => {
        const killed = world.checkpointer({ port: withoutSaving(world.port) });
        await killed.start();
        await world.turn();
        expect(killed.failingSince).not.toBeNull();
      },
    ];
    let saved: string | undefined;
    for (const [round, crash] of seals.entries()) {
      await world.append(2 * round);
      await crash();
      expect(await exported()).toBe(saved);
      await sealOnce(world, 2 * round + 1);
      saved = (await world.notes()).at(-1);
      expect(await exported()).toBe(saved);
      expect(await rootOfSealed(world)).toBe(await rootOfLastNote(world));
    }
    await world.append(9);
    await world.port.seal(world.fence);
    expect(await exported()).toBe(saved);
    await world.database.close();
  });

  it('cover streams that changed and streams that did not, in the order of their names', async () => {
    const { database, port, fence } = world;
    const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'test' });
    const append = async (names: readonly string[]): Promise<void> => {
      const drafts = names.map((name) => ({ ...anEventDraft(), stream: `policy:shop/${name}` }));
      appended(await writer.append({ drafts }));
    };
    const paged = async (headsOf: typeof port.nextHeads): Promise<readonly StreamHead[]> => {
      const [first] = await headsOf({ limit: 1 });
      return [first!, ...(await headsOf({ after: first!.stream, limit: 10 }))];
    };
    await append(['a', 'c', 'e', 'f']);
    await port.seal(fence);
    await port.saveNote('first', fence);
    const before = await paged((page) => port.sealedHeads(page));
    expect(before).toEqual(await database.ledger.listHeads({ limit: 10 }));
    await append(['c']);
    // Never saved: the next one takes its place.
    await port.seal(fence);
    await append(['B', 'c', 'd', 'f']);
    await port.seal(fence);
    const heads = await database.ledger.listHeads({ limit: 10 });
    expect(heads).toHaveLength(6);
    expect(await paged((page) => port.nextHeads(page))).toEqual(heads);
    expect(await paged((page) => port.sealedHeads(page))).toEqual(before);
    await port.saveNote('second', fence);
    expect(await paged((page) => port.sealedHeads(page))).toEqual(heads);
    expect(await paged((page) => port.nextHeads(page))).toEqual(heads);
    expect(await port.unsealedHeads()).toEqual([]);
    await database.close();
  });

  it('are appended to the file', async () => {
    const checkpointer = world.checkpointer();
    await checkpointer.start();
    for (let round = 0; round < 2; round += 1) {
      await world.append(round);
      await world.turn();
    }
    const notes = await world.notes();
    const file = await readFile(join(folder, `notes-${worlds - 1}`), 'utf8');
    expect(file).toBe(notes.map((note) => `${note}\n`).join(''));
    await checkpointer.stop();
    await world.database.close();
  });

  it('are said to be made again after they could not be, once', async () => {
    let isAway = true;
    const unsealed = (): ReturnType<CheckpointPort['unsealedHeads']> =>
      isAway ? Promise.reject(new Error('away')) : world.port.unsealedHeads();
    const checkpointer = world.checkpointer({
      port: {
        ...withoutSaving(world.port),
        unsealedHeads: unsealed,
        saveNote: (note, fence) => world.port.saveNote(note, fence),
      },
    });
    const again = (): number =>
      world.said.filter((line) => line === 'the ledger is sealed by checkpoints again').length;
    await checkpointer.start();
    await world.append(1);
    await world.turn();
    await world.turn();
    expect([world.warnings, again()]).toEqual([[{ reason: 'away' }], 0]);
    isAway = false;
    await world.turn();
    await world.turn();
    expect([checkpointer.failingSince, again(), (await world.notes()).length]).toEqual([null, 1, 1]);
    await checkpointer.stop();
    await world.database.close();
  });

  it('use no number twice after a crash between the entry and the note', async () => {
    const first = world.checkpointer({ port: withoutSaving(world.port) });
    await first.start();
    await world.append(1);
    await world.turn();
    expect(first.failingSince).not.toBeNull();
    expect(await world.port.lastNote()).toBeNull();
    const second = world.checkpointer();
    await second.start();
    await world.turn();
    const bodies = (await world.notes()).map((note) => parseCheckpointNote(note)?.body.number);
    expect(bodies).toEqual([1n, 2n]);
    expect(await world.port.lastNote()).toBe((await world.notes())[1]);
    await world.database.close();
  });

  it('let epochs go on after a floor, which fences who holds a lower one', async () => {
    const { port, fence, database } = world;
    expect(await port.raiseEpochs(10n, fence)).toBe(true);
    expect(await database.fences.look([fence.scope])).toMatchObject([{ ...fence, epoch: 10n }]);
    await expect(port.raiseEpochs(11n, fence)).rejects.toMatchObject({ code: 'Fenced' });
    expect(await port.raiseEpochs(10n, { ...fence, epoch: 10n })).toBe(false);
    expect(await database.fences.take([fence.scope], 'other')).toMatchObject({ ok: false });
    await database.close();
  });

  it('are not made by a process that was taken over', async () => {
    const checkpointer = world.checkpointer();
    await checkpointer.start();
    await world.append(1);
    await ageFences(world.database.sql, fenceExpirySeconds);
    await takeFence(world.database.fences, { scope: administrationScope, holder: 'successor' });
    await world.turn();
    expect(await world.notes()).toEqual([]);
    expect(await world.port.sealedHeads({ limit: 10 })).toEqual([]);
    expect(checkpointer.failingSince).not.toBeNull();
    await world.database.close();
  });
});

describe('the key of checkpoints', () => {
  const sqlite = (): string => `sqlite:${join(folder, `key-${worlds}.db`)}`;

  it('is made at the first start on SQLite, for its owner only, and used again', async () => {
    const world = await aWorld(sqlite());
    const keys: string[] = [];
    for (let start = 0; start < 2; start += 1) {
      const checkpointer = world.checkpointer();
      await checkpointer.start();
      await world.append(start);
      await checkpointer.stop();
      keys.push(await readFile(join(world.place, 'checkpoint-key.pem'), 'utf8'));
    }
    expect(keys[0]).toBe(keys[1]);
    expect((await stat(join(world.place, 'checkpoint-key.pem'))).mode & 0o777).toBe(0o600);
    expect(await world.notes()).toHaveLength(2);
    expect(world.warnings).toEqual([]);
    await world.database.close();
  });

  it('is not made anew where the ledger was signed before', async () => {
    const world = await aWorld(sqlite());
    const first = world.checkpointer();
    await first.start();
    await world.append(1);
    await first.stop();
    await rm(join(world.place, 'checkpoint-key.pem'));
    const second = world.checkpointer();
    await second.start();
    expect(second.failingSince).toBe(timeAfter(0));
    await writeFile(join(world.place, 'checkpoint-key.pem'), generateSigningKey());
    const third = world.checkpointer();
    await third.start();
    await world.append(2);
    await third.stop();
    expect(world.warnings).toMatchObject([
      { reason: expect.stringContaining('no such file') },
      { reason: expect.stringContaining('checkpoint 1 was signed with another key than') },
    ]);
    expect(await world.notes()).toHaveLength(1);
    await world.database.close();
  });

  it('must be configured on PostgreSQL', async () => {
    const world = await aWorld(await postgres.createDatabase('without-key'));
    const checkpointer = world.checkpointer();
    await checkpointer.start();
    await world.append(1);
    await checkpointer.stop();
    expect(checkpointer.failingSince).toBe(timeAfter(0));
    expect(world.warnings).toEqual([{ reason: 'checkpoints.keyFile is not set, which PostgreSQL needs' }]);
    expect(await world.database.ledger.heads([adminStream])).toMatchObject([{ seq: 0n }]);
    await world.database.close();
  });

  it('follows another where that one signs so, which is recorded before it signs', async () => {
    const world = await aWorld(sqlite());
    await sealOnce(world, 1);
    const file = join(world.place, 'checkpoint-key.pem');
    const old = parseSigningKey(await readFile(file, 'utf8'));
    const made = generateSigningKey();
    await writeFile(`${file}.previous`, await readFile(file));
    await writeFile(file, made);
    await sealOnce(world, 2);
    const entry = await world.database.ledger.newestEntry({ stream: adminStream, kind: 'KeyRotation' });
    const note = parseKeyRotationNote(entry!.payload.note)!;
    const [first, second] = await world.notes();
    expect(note.body).toEqual({
      origin: `plimsoll/test/${await world.port.ledgerId()}`,
      number: 2n,
      previous: noteHash(first!),
      key: publicKeyText(parseSigningKey(made).publicKey),
      time: timeAfter(0),
    });
    expect([isSignedWith(note, old.publicKey), isSignedWith(note, parseSigningKey(made).publicKey)]).toEqual([
      true,
      true,
    ]);
    expect(isSignedWith(parseCheckpointNote(second!)!, parseSigningKey(made).publicKey)).toBe(true);
    expect(existsSync(`${file}.previous`)).toBe(false);
    const unfinished = `${file}.${'0'.repeat(36)}.part`;
    await writeFile(unfinished, 'of a process that was killed');
    await utimes(unfinished, 0, 0);
    await sealOnce(world, 3);
    expect(existsSync(unfinished)).toBe(false);
    expect(await countOf(world, 'KeyRotation')).toBe(1);
    await world.database.close();
  });

  it('is expected from the moment that it was recorded, whatever a crash left undone', async () => {
    const world = await aWorld(sqlite());
    await sealOnce(world, 1);
    const file = join(world.place, 'checkpoint-key.pem');
    const before = await readFile(file);
    await writeFile(`${file}.previous`, before);
    await writeFile(file, generateSigningKey());
    // It records the rotation, and gets no further.
    await world.checkpointer().start();
    const after = await readFile(file);
    await writeFile(file, before);
    const wrong = world.checkpointer();
    await wrong.start();
    expect(wrong.failingSince).not.toBeNull();
    await writeFile(file, after);
    await sealOnce(world, 2);
    expect(await countOf(world, 'KeyRotation')).toBe(1);
    expect(await world.notes()).toHaveLength(2);
    await world.database.close();
  });

  it('follows a lost one where an operator says why, and is used while the process runs', async () => {
    const world = await aWorld(sqlite());
    await sealOnce(world, 1);
    const file = join(world.place, 'checkpoint-key.pem');
    await rm(file);
    const checkpointer = world.checkpointer();
    await checkpointer.start();
    expect(checkpointer.failingSince).not.toBeNull();
    const made = generateSigningKey();
    const key = publicKeyText(parseSigningKey(made).publicKey);
    await writeFile(file, made);
    await world.turn();
    expect(checkpointer.failingSince).not.toBeNull();
    await writeFile(`${file}.lost`, JSON.stringify({ key, actor: 'ada', reason: 'the disk is gone' }));
    await world.append(2);
    await world.turn();
    expect(checkpointer.failingSince).toBeNull();
    const entry = await world.database.ledger.newestEntry({ stream: adminStream, kind: 'KeyLost' });
    expect(entry?.payload).toEqual({ number: '2', key, actor: 'ada', reason: 'the disk is gone' });
    expect(
      isSignedWith(parseCheckpointNote((await world.notes())[1]!)!, parseSigningKey(made).publicKey),
    ).toBe(true);
    await checkpointer.stop();
    await world.database.close();
  });

  it('takes no place by what was said of another key', async () => {
    const world = await aWorld(sqlite());
    await sealOnce(world, 1);
    const file = join(world.place, 'checkpoint-key.pem');
    await writeFile(file, generateSigningKey());
    const said = publicKeyText(parseSigningKey(generateSigningKey()).publicKey);
    await writeFile(`${file}.lost`, JSON.stringify({ key: said, actor: 'ada', reason: 'x' }));
    const checkpointer = world.checkpointer();
    await checkpointer.start();
    expect(checkpointer.failingSince).not.toBeNull();
    expect(await countOf(world, 'KeyLost')).toBe(0);
    await world.database.close();
  });
});

describe('a ledger that contradicts its checkpoints', () => {
  it('is signed no more by a process whose checkpoint it has lost, as a standby may have that took over', async () => {
    const world = await aWorld(`sqlite:${join(folder, `lost-${worlds}.db`)}`);
    const { ledger } = world.database;
    let last: EntryOf<'Checkpoint'> | null = null;
    const behind = {
      entries: (query: EntryQuery) => ledger.entries(query),
      streamEntries: (range: Parameters<LedgerPort['streamEntries']>[0]) => ledger.streamEntries(range),
      newestEntry: (query: { readonly stream: string; readonly kind: EntryKind }) =>
        last !== null && query.kind === 'Checkpoint' ? Promise.resolve(last) : ledger.newestEntry(query),
    };
    const checkpointer = world.checkpointer({ ledger: behind as CheckpointerOptions['ledger'] });
    await checkpointer.start();
    await world.append(1);
    await world.turn();
    const first = await ledger.newestEntry({ stream: adminStream, kind: 'Checkpoint' });
    await world.append(2);
    await world.turn();
    last = first;
    await world.append(3);
    await world.turn();
    const [, second] = await world.notes();
    expect(checkpointer.failingSince).not.toBeNull();
    expect(checkpointer.failureReason).toBe(
      'the ledger contradicts what was sealed (equivocation): this process has signed checkpoint 2, which the ledger does not have; the log has both sides',
    );
    expect(world.errors).toEqual([
      {
        reason: `equivocation: this process has signed\n${second}\nand the ledger has as its last\n${first?.payload.note}`,
      },
    ]);
    expect(await world.notes()).toHaveLength(2);
    await world.database.close();
  });

  it('is sealed no more where an entry that was sealed is another now, and both are shown', async () => {
    const world = await aWorld(`sqlite:${join(folder, `edited-${worlds}.db`)}`);
    await sealOnce(world, 1);
    const [sealed] = await world.port.sealedHeads({ limit: 1 });
    await world.database.sql.transaction([
      { sql: 'DROP TRIGGER ledger_entry_unchanged' },
      { sql: 'UPDATE ledger_entry SET hash = ? WHERE seq = 1', parameters: ['0'.repeat(64)] },
    ]);
    const checkpointer = world.checkpointer();
    await checkpointer.start();
    await world.append(2);
    await checkpointer.stop();
    expect(await world.notes()).toHaveLength(1);
    // It names no stream: not every viewer may view its policy.
    expect(checkpointer.failureReason).toBe(
      `the ledger contradicts what was sealed (equivocation): an entry that was sealed with the hash ${sealed!.hash} ` +
        `has the hash ${'0'.repeat(64)} now; the log has both sides`,
    );
    expect(world.warnings).toEqual([]);
    expect(world.errors).toEqual([
      {
        reason:
          `equivocation: the last checkpoint covers ${sealed!.stream}#1 (${sealed!.hash}), ` +
          `and the ledger has ${sealed!.stream}#1 (${'0'.repeat(64)})`,
      },
    ]);
    await world.database.close();
  });

  it('is sealed no more where it is older than what a sink has, as after a restored backup', async () => {
    const outputFile = join(folder, `kept-${worlds}`);
    const file = join(folder, `restored-${worlds}.db`);
    const world = await aWorld(`sqlite:${file}`, { outputFile });
    await sealOnce(world, 1);
    await world.database.sql.query({ sql: 'SELECT 1' });
    await world.database.close();
    await copyFile(file, `${file}.backup`);
    const later = await again(world, file, outputFile);
    await sealOnce(later, 2);
    const [, second] = await later.notes();
    await later.database.close();
    await copyFile(`${file}.backup`, file);
    const fenced = await again(world, file, outputFile);
    await fenced.checkpointer().start();
    expect(fenced.warnings[0]).toMatchObject({ reason: expect.stringContaining('its epochs go on after') });
    expect(await fenced.database.fences.renew([fenced.fence])).toMatchObject({ ok: false });
    await fenced.database.close();
    const restored = await again(world, file, outputFile);
    // Beyond whatever was given out until the checkpoint that is known outside.
    expect(restored.fence.epoch).toBeGreaterThan(BigInt(Date.parse(timeAfter(0)) / 1_000));
    await sealOnce(restored, 3);
    expect(await restored.notes()).toHaveLength(1);
    expect(restored.errors[0]).toMatchObject({
      reason: expect.stringContaining(`equivocation: the sink "file" has\n${second}\nand the ledger ends`),
    });
    await restored.database.close();
  });

  function again(world: SealedWorld, file: string, outputFile: string): Promise<SealedWorld> {
    return aWorld(`sqlite:${file}`, { outputFile, keyFile: join(world.place, 'checkpoint-key.pem') });
  }
});
