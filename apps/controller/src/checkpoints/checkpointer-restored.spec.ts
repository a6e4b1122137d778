import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { backUpDatabase, restoreDatabase } from '#adapter-sql';
import {
  adminStream,
  generateSigningKey,
  isSignedWith,
  noteHash,
  parseCheckpointNote,
  parseKeyRotationNote,
  parsePublicKeyText,
  parseSigningKey,
  signNote,
} from '#ledger';
import { timeAfter } from '../../../../test/support/ledger-builders.ts';
import { startPostgres, type TestPostgres } from '../../../../test/support/postgres.ts';
import {
  countOf,
  openSealedWorld,
  type SealedWorld,
  sealOnce,
} from '../../../../test/support/sealed-world.ts';
import type { Checkpointer } from './checkpointer.ts';

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

describe.each([
  { name: 'SQLite', url: (id: number) => Promise.resolve(`sqlite:${join(folder, `restored-${id}.db`)}`) },
  { name: 'PostgreSQL', url: (id: number) => postgres.createDatabase(`restored-${id}`) },
])('a ledger restored from a backup on $name', ({ url }) => {
  interface KeptFiles {
    readonly keyFile: string;
    readonly outputFile: string;
    readonly backup: string;
  }

  let databases = 0;
  let original: KeptFiles;
  /** Of one test. */
  let backup = '';
  let checkpoints = { keyFile: '', outputFile: '' };
  /** Checkpoints 1 to 3, of which the backup has the first. */
  let published: readonly string[] = [];

  const newFiles = (): KeptFiles => {
    const id = `${worlds}-${databases}`;
    return {
      keyFile: join(folder, `gap-${id}.pem`),
      outputFile: join(folder, `gap-${id}`),
      backup: join(folder, `gap-${id}.backup`),
    };
  };

  beforeAll(async () => {
    original = newFiles();
    ({ backup, ...checkpoints } = original);
    await writeFile(checkpoints.keyFile, generateSigningKey());
    const from = await newUrl();
    const world = await aWorld(from, checkpoints);
    await sealOnce(world, 1);
    await backUpDatabase({ url: from, file: backup, madeAt: timeAfter(1), onRows: () => undefined });
    await sealOnce(world, 2);
    await sealOnce(world, 3);
    published = await world.notes();
    await world.database.close();
  });

  beforeEach(async () => {
    const own = newFiles();
    for (const name of ['keyFile', 'outputFile', 'backup'] as const)
      await copyFile(original[name], own[name]);
    ({ backup, ...checkpoints } = own);
  });

  const newUrl = (): Promise<string> => url((databases += 1));

  async function restored(): Promise<SealedWorld> {
    const to = await newUrl();
    await restoreDatabase({ url: to, file: backup, onRows: () => undefined });
    return aWorld(to, checkpoints);
  }

  async function numbersOf(world: SealedWorld): Promise<readonly (bigint | undefined)[]> {
    return (await world.notes()).map((note) => parseCheckpointNote(note)?.body.number);
  }

  it('records once what is lost, and goes on from the checkpoint that is known outside', async () => {
    const world = await restored();
    for (const seconds of [4, 5]) await sealOnce(world, seconds);
    expect(await countOf(world, 'LedgerGap')).toBe(1);
    const gap = await world.database.ledger.newestEntry({ stream: adminStream, kind: 'LedgerGap' });
    expect(gap?.payload).toEqual({
      number: '3',
      note: published[2],
      restored: '1',
      backup: timeAfter(1),
    });
    expect(await numbersOf(world)).toEqual([1n, 4n, 5n]);
    const [, fourth = ''] = await world.notes();
    expect(parseCheckpointNote(fourth)?.body.previous).toBe(noteHash(published[2] ?? ''));
    expect(await world.port.restoredBackup()).toBeNull();
    const all = [...published, ...(await world.notes()).slice(1)];
    expect(await readFile(checkpoints.outputFile, 'utf8')).toBe(all.map((note) => `${note}\n`).join(''));
    expect(world.warnings).toEqual([{ backup: timeAfter(1), published: '3', restored: '1' }]);
    await world.database.close();
  });

  it('records it once where the process ends before the restore is forgotten', async () => {
    const world = await restored();
    const killed = jest.spyOn(world.port, 'forgetRestoredBackup');
    killed.mockRejectedValueOnce(new Error('the process was killed'));
    const first = world.checkpointer();
    await first.start();
    expect(first.failingSince).not.toBeNull();
    await sealOnce(world, 4);
    expect(await countOf(world, 'LedgerGap')).toBe(1);
    expect(await numbersOf(world)).toEqual([1n, 4n]);
    await world.database.close();
  });

  it('takes a note from within the gap for lost, and contradicts another one of its end', async () => {
    const world = await restored();
    const withOther = (note: string): Checkpointer =>
      world.checkpointer({
        publisher: {
          put: () => undefined,
          stop: () => Promise.resolve(),
          lastNotes: () =>
            Promise.resolve({
              notes: [
                { sink: 'file', note: published[2] ?? '' },
                { sink: 'git', note },
              ],
              unread: [],
            }),
        },
      });
    const { bodyText, body } = parseCheckpointNote(published[2] ?? '')!;
    const key = parseSigningKey(await readFile(checkpoints.keyFile, 'utf8'));
    const changed = bodyText.replace(/^root .*$/m, `root ${'a'.repeat(64)}`);
    const refused = withOther(signNote(changed, body.origin, key));
    await refused.start();
    expect(world.errors).toMatchObject([{ reason: expect.stringMatching(/^equivocation: /) }]);
    expect(await countOf(world, 'LedgerGap')).toBe(0);
    for (let start = 0; start < 2; start += 1) {
      const checkpointer = withOther(published[1] ?? '');
      await checkpointer.start();
      await checkpointer.stop();
      expect(checkpointer.failingSince).toBeNull();
    }
    expect(await numbersOf(world)).toEqual([1n, 4n]);
    await world.database.close();
  });

  it('is not sealed before it is known what every sink has', async () => {
    const world = await restored();
    await rm(checkpoints.outputFile);
    await mkdir(checkpoints.outputFile);
    await sealOnce(world, 4);
    expect(world.warnings).toMatchObject([{ reason: expect.stringContaining('cannot be read: file') }]);
    expect(await numbersOf(world)).toEqual([1n]);
    expect(await world.port.restoredBackup()).toBe(timeAfter(1));
    await world.database.close();
  });

  it('is not sealed where a receiver cannot be asked, until an operator says what it has', async () => {
    const world = await restored();
    const withReceiver = (): Checkpointer =>
      world.checkpointer({
        publisher: {
          put: () => undefined,
          stop: () => Promise.resolve(),
          lastNotes: () => Promise.resolve({ notes: [], unread: ['http'] }),
        },
      });
    const refused = withReceiver();
    await refused.start();
    await world.append(4);
    await refused.stop();
    const file = join(world.place, 'last-checkpoint.note');
    expect(world.warnings).toMatchObject([
      {
        reason: expect.stringMatching(
          /these sinks cannot be read: http\. Put .* into .*last-checkpoint\.note/,
        ),
      },
    ]);
    expect(await numbersOf(world)).toEqual([1n]);

    for (const text of ['no note', published[2]!.replace('plimsoll/', 'plimsoll/other-')]) {
      await writeFile(file, text);
      const unusable = withReceiver();
      await unusable.start();
      expect(unusable.failingSince).not.toBeNull();
    }
    await writeFile(file, published[2]!);
    const told = withReceiver();
    await told.start();
    await told.stop();
    expect(told.failingSince).toBeNull();
    const gap = await world.database.ledger.newestEntry({ stream: adminStream, kind: 'LedgerGap' });
    expect(gap?.payload).toMatchObject({ number: '3', note: published[2], restored: '1' });
    expect(await numbersOf(world)).toEqual([1n, 4n]);
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
    await world.database.close();
  });

  it('goes on where an operator says that a receiver has nothing after the backup', async () => {
    const world = await restored();
    await mkdir(world.place);
    await writeFile(join(world.place, 'last-checkpoint.note'), '\n');
    const checkpointer = world.checkpointer({
      publisher: {
        put: () => undefined,
        stop: () => Promise.resolve(),
        lastNotes: () => Promise.resolve({ notes: [], unread: ['http'] }),
      },
    });
    await checkpointer.start();
    await world.append(4);
    await checkpointer.stop();
    expect(await numbersOf(world)).toEqual([1n, 2n]);
    expect(await countOf(world, 'LedgerGap')).toBe(0);
    await world.database.close();
  });

  it('goes on with the key of after the backup, behind what that has signed', async () => {
    const next = await signedByNextKey();
    await writeFile(checkpoints.keyFile, next.key);
    const world = await restored();
    await sealOnce(world, 4);
    expect(await numbersOf(world)).toEqual([1n, 4n]);
    const [, fourth = ''] = await world.notes();
    expect(parseCheckpointNote(fourth)?.body.previous).toBe(noteHash(next.note));
    await world.database.close();
  });

  it('records rotations of the key again that the data folder has kept', async () => {
    const from = await newUrl();
    const to = await newUrl();
    const rotated = await aWorld(from, checkpoints);
    await writeFile(checkpoints.outputFile, '');
    await sealOnce(rotated, 1);
    await rm(backup);
    await backUpDatabase({ url: from, file: backup, madeAt: timeAfter(1), onRows: () => undefined });
    const first = parseSigningKey(await readFile(checkpoints.keyFile, 'utf8'));
    for (const seconds of [2, 3]) {
      await writeFile(`${checkpoints.keyFile}.previous`, await readFile(checkpoints.keyFile));
      await writeFile(checkpoints.keyFile, generateSigningKey());
      await sealOnce(rotated, seconds);
    }
    const rotations = await rotationsOf(rotated);
    expect(rotations).toHaveLength(2);
    await rotated.database.close();

    await restoreDatabase({ url: to, file: backup, onRows: () => undefined });
    const world = await aWorld(to, checkpoints);
    await mkdir(world.place);
    const kept = await readFile(join(rotated.place, 'key-rotations'));
    await writeFile(join(world.place, 'key-rotations'), kept);
    for (const seconds of [4, 5]) await sealOnce(world, seconds);
    expect(await rotationsOf(world)).toEqual(rotations);
    expect(await countOf(world, 'LedgerGap')).toBe(1);
    const [, fourth = ''] = await world.notes();
    let key = first.publicKey;
    for (const note of rotations) {
      expect(isSignedWith(parseKeyRotationNote(note)!, key)).toBe(true);
      key = parsePublicKeyText(parseKeyRotationNote(note)!.body.key);
    }
    expect(isSignedWith(parseCheckpointNote(fourth)!, key)).toBe(true);
    expect(await readFile(join(world.place, 'key-rotations'))).toEqual(kept);
    await world.database.close();
  });

  async function rotationsOf({ database }: SealedWorld): Promise<readonly string[]> {
    const { items } = await database.ledger.entries({
      kinds: ['KeyRotation'],
      order: 'OldestFirst',
      limit: 100,
    });
    return items.map(({ entry }) => (entry.kind === 'KeyRotation' ? entry.payload.note : ''));
  }

  it('signs no number that another key has signed since the backup', async () => {
    const next = await signedByNextKey();
    const world = await restored();
    await sealOnce(world, 4);
    expect(world.warnings).toMatchObject([
      { reason: expect.stringContaining('has checkpoint 3, which is not signed with the present key') },
    ]);
    await writeFile(join(world.place, 'last-checkpoint.note'), next.note);
    await sealOnce(world, 5);
    expect(world.warnings.at(-1)).toMatchObject({
      reason: expect.stringContaining('checkpoint 3 was signed with another key'),
    });
    expect(await numbersOf(world)).toEqual([1n]);
    await writeFile(checkpoints.keyFile, next.key);
    await sealOnce(world, 6);
    expect([await numbersOf(world), await countOf(world, 'LedgerGap')]).toEqual([[1n, 4n], 1]);
    await world.database.close();
  });

  /** The file has checkpoint 3 by a key that follows the one of the backup. */
  async function signedByNextKey(): Promise<{ readonly key: string; readonly note: string }> {
    const { bodyText, body } = parseCheckpointNote(published[2]!)!;
    const key = generateSigningKey();
    const note = signNote(bodyText, body.origin, parseSigningKey(key));
    await writeFile(checkpoints.outputFile, `${published[0]}\n${note}\n`);
    return { key, note };
  }

  it('is sealed as ever where nothing later is known outside', async () => {
    await writeFile(checkpoints.outputFile, `${published[0]}\n`);
    const world = await restored();
    await sealOnce(world, 4);
    expect(await numbersOf(world)).toEqual([1n, 2n]);
    expect(await countOf(world, 'LedgerGap')).toBe(0);
    expect(await world.port.restoredBackup()).toBeNull();
    await world.database.close();
  });

  it('is sealed no more where it is not known that it was restored', async () => {
    const world = await restored();
    await world.port.forgetRestoredBackup(world.fence);
    await sealOnce(world, 4);
    expect(world.errors[0]).toMatchObject({ reason: expect.stringMatching(/^equivocation: /) });
    expect(await numbersOf(world)).toEqual([1n]);
    expect(await countOf(world, 'LedgerGap')).toBe(0);
    await world.database.close();
  });
});
