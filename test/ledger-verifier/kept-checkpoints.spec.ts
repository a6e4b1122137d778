import { copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseCheckpointNote, parseSigningKey, signNote } from '#ledger';
import { exportLedger } from '../../apps/cli/src/audit/export-ledger.ts';
import { makeNewKey } from '../../apps/cli/src/audit/new-key.ts';
import { fillLedger, sealLedger } from '../support/audited-ledger.ts';
import { timeAfter } from '../support/ledger-builders.ts';
import { aTerminal, hasPython, judge, judgeInPython } from './verifiers.ts';

let folder = '';
/** An export up to checkpoint 3. The file of the sink has 4 to 6 as well, which another key has signed. */
let exported = '';
/** Checkpoints 1 to 6, the first three of which are signed at 600 to 602 seconds, as are the others. */
let notes: readonly string[] = [];
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-kept-'));
  const database = `sqlite:${at('ledger.db')}`;
  await fillLedger(database);
  await sealLedger(database, at('data'), at('notes'));
  await copyFile(at('data/checkpoint-key.pub'), at('old.pub'));
  await copyFile(at('data/key.pem'), at('old.pem'));
  exported = at('exported');
  await exportLedger({ database, output: exported }, aTerminal().terminal);
  await makeNewKey({ dataFolder: at('data'), keyFile: at('data/key.pem') }, aTerminal().terminal);
  await copyFile(at('data/key.pem'), at('new.pem'));
  await sealLedger(database, at('data'), at('notes'));
  const all = (await readFile(at('notes'), 'utf8')).trim().split('\n\nplimsoll/');
  // The last note is sent again at each start.
  notes = [...new Set(all.map((text, index) => `${index === 0 ? '' : 'plimsoll/'}${text.trim()}\n`))];
});

afterAll(() => rm(folder, { recursive: true }));

/** A note with another number and time, signed with a key. */
async function signed(number: number, time: string, keyFile: string): Promise<string> {
  const { bodyText, body } = parseCheckpointNote(notes[2] ?? '')!;
  const changed = bodyText
    .replace(/^checkpoint .*$/m, `checkpoint ${number}`)
    .replace(/^time .*$/m, `time ${time}`);
  return signNote(changed, body.origin, parseSigningKey(await readFile(keyFile, 'utf8')));
}

interface Case {
  readonly name: string;
  readonly notes: () => readonly string[] | Promise<readonly string[]>;
  /** Seconds after the beginning at which the export was made. */
  readonly madeAt: number;
  readonly key?: 'old.pub' | 'data/checkpoint-key.pub';
  readonly want: string;
}

const cases: readonly Case[] = [
  {
    name: 'all of a sink, with the key of before a later rotation',
    notes: () => notes,
    madeAt: 602,
    key: 'old.pub',
    want: 'Proven',
  },
  { name: 'all of a sink, without a key', notes: () => notes, madeAt: 602, want: 'Proven' },
  {
    name: 'all of a sink, with the key of after a later rotation',
    notes: () => notes,
    madeAt: 602,
    key: 'data/checkpoint-key.pub',
    want: 'WrongSignature',
  },
  { name: 'a note of a minute before the export', notes: () => notes, madeAt: 660, want: 'Proven' },
  {
    name: 'a note of more than a minute before the export',
    notes: () => notes,
    madeAt: 661,
    want: 'CheckpointMissing',
  },
  {
    name: 'a missing note that another key has signed',
    notes: () => notes,
    madeAt: 661,
    key: 'old.pub',
    want: 'Unusable',
  },
  {
    name: 'a missing note before one of after the export',
    notes: async () => [
      ...notes.slice(0, 3),
      await signed(4, timeAfter(610), at('old.pem')),
      await signed(5, timeAfter(9_000), at('new.pem')),
    ],
    madeAt: 3_000,
    key: 'old.pub',
    want: 'CheckpointMissing',
  },
  {
    name: 'only notes of after the export',
    notes: () => notes.slice(3),
    madeAt: 602,
    key: 'old.pub',
    want: 'Proven',
  },
  {
    name: 'only notes of after the export, no key',
    notes: () => notes.slice(3),
    madeAt: 602,
    want: 'Consistent',
  },
  {
    name: 'a forged note of a number that the export has',
    notes: async () => [await signed(3, timeAfter(602), at('new.pem'))],
    madeAt: 602,
    key: 'old.pub',
    want: 'Unusable',
  },
  {
    name: 'another note of a number that the export has',
    notes: async () => [await signed(2, timeAfter(602), at('old.pem'))],
    madeAt: 602,
    key: 'old.pub',
    want: 'Equivocation',
  },
  {
    name: 'two notes of one number',
    notes: async () => [...notes.slice(0, 3), await signed(3, timeAfter(603), at('old.pem'))],
    madeAt: 602,
    key: 'old.pub',
    want: 'Equivocation',
  },
  {
    name: 'a note that was cut off, and again whole',
    notes: () => [notes[0] ?? '', (notes[1] ?? '').slice(0, 100), ...notes.slice(1)],
    madeAt: 602,
    want: 'Proven',
  },
  { name: 'no note', notes: () => ['nothing\n'], madeAt: 602, want: 'Unusable' },
];

describe('an export, held against checkpoints that were kept elsewhere', () => {
  it.each(cases)('is $want by $name, as both verifiers say', async ({ notes: kept, madeAt, key, want }) => {
    const place = at('case');
    await cp(exported, place, { recursive: true });
    const manifest = JSON.parse(await readFile(join(exported, 'manifest.json'), 'utf8')) as object;
    await writeFile(join(place, 'manifest.json'), JSON.stringify({ ...manifest, madeAt: timeAfter(madeAt) }));
    const checkpoint = at('kept');
    await writeFile(checkpoint, (await kept()).join('\n'));
    const keyFile = key === undefined ? {} : { key: at(key) };
    const found = await judge(place, { ...keyFile, checkpoint });
    expect(found.fault?.code ?? found.status).toBe(want);
    if (hasPython) expect(judgeInPython([place], keyFile.key, checkpoint)).toEqual([found]);
  });
});
