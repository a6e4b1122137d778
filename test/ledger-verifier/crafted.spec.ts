import { spawnSync } from 'node:child_process';
import { mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalJson } from '#kernel';
import { emptyHead, exportedHead, hashEntry, merkleLeaf, rootOfProof, sha256Bytes, sha256Hex } from '#ledger';
import { exportLedger } from '../../apps/cli/src/audit/export-ledger.ts';
import { fillLedger, sealLedger } from '../support/audited-ledger.ts';
import type { ExportFiles } from './edits.ts';
import { aTerminal, hasPython, judge, judgeInPython, read, statusInPython, write } from './verifiers.ts';

/** What somebody has written who knows the form of an export, and has no key. */
interface Crafted {
  readonly name: string;
  readonly files: () => ExportFiles;
  /** The code of the fault, or the status without one. */
  readonly want: string;
}

const entriesFile = 'entries-000001.ndjson';
let folder = '';
let whole: ExportFiles;
let ofShop: ExportFiles;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-crafted-'));
  const database = `sqlite:${join(folder, 'ledger.db')}`;
  await fillLedger(database);
  await sealLedger(database, join(folder, 'data'), join(folder, 'notes'));
  const exported = async (name: string, filter: object): Promise<ExportFiles> => {
    const output = join(folder, name);
    await exportLedger({ database, output, ...filter }, aTerminal().terminal);
    return read(output);
  };
  whole = await exported('whole', {});
  ofShop = await exported('shop', { namespace: ['shop'] });
});

afterAll(() => rm(folder, { recursive: true }));

function textOf(files: ExportFiles, name: string): string {
  return String(files.get(name));
}

function withText(files: ExportFiles, name: string, text: string): ExportFiles {
  return new Map(files).set(name, Buffer.from(text));
}

function withManifest(files: ExportFiles, change: object): ExportFiles {
  const manifest = JSON.parse(textOf(files, 'manifest.json')) as { readonly filter: object };
  return withText(files, 'manifest.json', JSON.stringify({ ...manifest, ...change }));
}

function withFilter(files: ExportFiles, change: object): ExportFiles {
  const { filter } = JSON.parse(textOf(files, 'manifest.json')) as { readonly filter: object };
  return withManifest(files, { filter: { ...filter, ...change } });
}

function withNote(change: (note: string) => string): ExportFiles {
  return withText(whole, 'checkpoint.note', change(textOf(whole, 'checkpoint.note')));
}

/** A manifest in which the number of entries is written in another way. */
function withNumber(write: (count: string) => string): ExportFiles {
  const count = /"entries":(\d+),"exportFormat"/;
  const text = textOf(whole, 'manifest.json');
  return withText(
    whole,
    'manifest.json',
    text.replace(count, (_, digits: string) => `"entries":${write(digits)},"exportFormat"`),
  );
}

interface Written {
  readonly kind?: string;
  readonly stream?: string;
  readonly time?: string;
  /** The payload, and what its hash is made from. */
  readonly payloadText?: string;
  readonly hashedText?: string;
}

/** An export of streams of one entry each, well chained. */
function anExportOf(...written: readonly Written[]): ExportFiles {
  const streams = written.map(
    ({
      kind = 'ScalingEvent',
      stream = 'policy:a/b',
      time = '2026-11-20T12:00:00Z',
      payloadText = '{}',
      hashedText = payloadText,
    }) => {
      const previousHash = emptyHead(stream).hash;
      const header = { cluster: 'c', kind, previousHash, seq: 1n, stream, time };
      const hash = hashEntry(header, sha256Hex(hashedText), sha256Hex);
      const [name, at] = [JSON.stringify(stream), JSON.stringify(time)];
      return {
        head: exportedHead({ stream, seq: 1n, hash }),
        line: `{"cluster":"c","format":2,"hash":"${hash}","kind":"${kind}","payload":${payloadText},"previousHash":"${previousHash}","seq":"1","stream":${name},"time":${at}}`,
      };
    },
  );
  const lines = (texts: readonly string[]): Buffer => Buffer.from(texts.map((text) => `${text}\n`).join(''));
  const count = streams.length;
  const filter = { from: null, kinds: null, namespaces: null, policies: null, until: null };
  const manifest = {
    exportFormat: 1,
    madeAt: '2026-11-20T12:00:00Z',
    filter,
    streams: count,
    entries: count,
  };
  return new Map([
    [
      'manifest.json',
      Buffer.from(JSON.stringify({ ...manifest, files: [{ path: entriesFile, entries: count }] })),
    ],
    ['heads.ndjson', lines(streams.map(({ head }) => head))],
    [entriesFile, lines(streams.map(({ line }) => line))],
  ]);
}

/** A decision whose observation nests so deep, hashed as the specification says, or as the text that it is. */
function aDeepDecision(depth: number, isReplaced: boolean): ExportFiles {
  // Input and payload are two levels.
  const observation = '['.repeat(depth - 2) + ']'.repeat(depth - 2);
  const around = (text: string): string => `{"input":{"observation":${text}}}`;
  const payloadText = around(observation);
  const hashedText = isReplaced ? around(`"sha256:${sha256Hex(observation)}"`) : payloadText;
  return anExportOf({ kind: 'Decision', payloadText, hashedText });
}

/** A stream, sealed at a place of a tree of so many leaves. */
function sealedAt(index: number, streams: bigint, levels: number): ExportFiles {
  const files = withFilter(anExportOf({}), { policies: ['a/b'] });
  const head = textOf(files, 'heads.ndjson').trim();
  const node = Buffer.alloc(32);
  const proof = Array.from({ length: levels }, () => node);
  const root = rootOfProof(
    { leaf: merkleLeaf(head, sha256Bytes), index, size: Number(streams), proof },
    sha256Bytes,
  );
  const sealed = {
    ...(JSON.parse(head) as object),
    index: String(index),
    proof: proof.map((each) => each.toString('hex')),
  };
  const origin = `plimsoll/c/${'a'.repeat(32)}`;
  const body = `${origin}\ncheckpoint 1\nprevious ${'0'.repeat(64)}\nstreams ${streams}\nentries 1\nroot ${Buffer.from(root ?? node).toString('hex')}\ntime 2026-11-20T12:00:00Z\n`;
  return withText(
    withText(files, 'sealed.ndjson', `${canonicalJson(sealed)}\n`),
    'checkpoint.note',
    `${body}\n\u2014 ${origin} AAAA\n`,
  );
}

const gap = '"backup":"b","number":"2","restored":"1"';
const crafted: readonly Crafted[] = [
  {
    name: 'a stream that the checkpoint covers, under a filter that does not select it',
    files: () => withFilter(ofShop, { namespaces: null, policies: ['shop/cart'] }),
    want: 'UnreadableHead',
  },
  {
    name: 'no time at which it was made',
    files: () => withManifest(whole, { madeAt: '' }),
    want: 'Unusable',
  },
  {
    name: 'a time with a line of its own',
    files: () => withManifest(whole, { madeAt: 'x\nproven' }),
    want: 'Unusable',
  },
  { name: 'a period of no time', files: () => withFilter(whole, { from: 'yesterday' }), want: 'Unusable' },
  {
    name: 'a period in small letters',
    files: () => withFilter(whole, { from: '2026-11-20t12:00:00z' }),
    want: 'Unusable',
  },
  {
    name: 'a format that is true',
    files: () => withManifest(whole, { exportFormat: true }),
    want: 'Unusable',
  },
  {
    name: 'a count with a fraction of 0',
    files: () => withNumber((digits) => `${digits}.0`),
    want: 'Proven',
  },
  { name: 'a count with an exponent', files: () => withNumber((digits) => `${digits}e0`), want: 'Proven' },
  {
    name: 'a count that is no number of JSON',
    files: () => withNumber((digits) => `NaN,"entries":${digits}`),
    want: 'Unusable',
  },
  {
    name: 'a manifest of lists',
    files: () => withText(whole, 'manifest.json', '['.repeat(200_000)),
    want: 'Unusable',
  },
  {
    name: 'a manifest that ends in 16 MB of spaces',
    files: () =>
      withText(whole, 'manifest.json', textOf(whole, 'manifest.json') + ' '.repeat(16 * 1024 * 1024)),
    want: 'Unusable',
  },
  {
    name: 'a byte order mark before the note',
    files: () => withNote((note) => `\ufeff${note}`),
    want: 'UnreadableCheckpoint',
  },
  {
    name: 'a signature without its padding',
    files: () => withNote((note) => note.replace(/=+\n$/, '\n')),
    want: 'UnreadableCheckpoint',
  },
  {
    name: 'a signature with padding to spare',
    files: () => withNote((note) => note.replace(/=+\n$/, '==\n')),
    want: 'UnreadableCheckpoint',
  },
  {
    name: 'a signature of nobody beside',
    files: () => withNote((note) => `${note}\u2014 other AAAA\n`),
    want: 'Proven',
  },
  ...['\u0085', '\u001c', '\ufeff', '\u00a0', '\u2028', '\ud83d\ude80'].map((character) => ({
    name: `${JSON.stringify(character)} in the name of a key`,
    files: () => withNote((note) => `${note}\u2014 a${character}b AAAA\n`),
    want: 'UnreadableCheckpoint',
  })),
  {
    name: 'a checkpoint of no time',
    files: () => withNote((note) => note.replace('\ntime ', '\ntime x')),
    want: 'UnreadableCheckpoint',
  },
  ...[
    { time: '2026-11-20t12:00:00Z', want: 'FutureTime' },
    { time: '2026-11-20T12:00:00z', want: 'FutureTime' },
    { time: '2026-11-20T12:00:00+24:00', want: 'FutureTime' },
    { time: '2026-11-20T12:00:00+01:60', want: 'FutureTime' },
    { time: '0000-01-01T00:00:00Z', want: 'FutureTime' },
    { time: '1970-01-01T00:00:00+01:00', want: 'FutureTime' },
    { time: '1969-12-31T23:30:00-01:00', want: 'Consistent' },
    { time: '2026-11-20T12:00:00.5-23:59', want: 'Consistent' },
  ].map(({ time, want }) => ({ name: `an entry of ${time}`, files: () => anExportOf({ time }), want })),
  { name: 'a decision of 1,000 levels', files: () => aDeepDecision(1_000, true), want: 'Consistent' },
  { name: 'a decision of 1,001 levels', files: () => aDeepDecision(1_001, true), want: 'WrongHash' },
  {
    name: 'a decision of 1,001 levels, as it is',
    files: () => aDeepDecision(1_001, false),
    want: 'Consistent',
  },
  { name: 'a decision of 100,000 levels', files: () => aDeepDecision(100_000, true), want: 'WrongHash' },
  ...[`{${gap},"x":NaN}`, `{${gap},"x":${'9'.repeat(5_000)}}`].map((payloadText) => ({
    name: `a gap of ${payloadText.slice(0, 60)}`,
    files: () => anExportOf({ stream: 'admin', kind: 'LedgerGap', payloadText }),
    want: 'Consistent',
  })),
  {
    name: 'half of a pair before what comes after U+FFFD',
    files: () => anExportOf({ stream: 'policy:a/\ud800' }, { stream: 'policy:a/\ud83d\ude80' }),
    want: 'Consistent',
  },
  {
    name: 'half of a pair after what comes before U+FFFD',
    files: () => anExportOf({ stream: 'policy:a/z' }, { stream: 'policy:a/\udfff' }),
    want: 'Consistent',
  },
  ...['policy:a/b/c', 'policy:a/b c', 'policy:a/b#1', 'policy:a/\u2028'].map((stream) => ({
    name: `the stream ${JSON.stringify(stream)} in a namespace`,
    files: () => withFilter(anExportOf({ stream }), { namespaces: ['a'] }),
    want: 'Consistent',
  })),
  {
    name: 'the last of 2^31 + 1 places',
    files: () => sealedAt(2 ** 31, 2n ** 31n + 1n, 1),
    want: 'SealIncomplete',
  },
  {
    name: 'a tree of more leaves than there can be',
    files: () => sealedAt(0, 10n ** 15n, 50),
    want: 'UnreadableCheckpoint',
  },
  { name: 'a proof of 65 nodes', files: () => sealedAt(0, 1n, 65), want: 'UnreadableCheckpoint' },
];

describe('a crafted export', () => {
  it('is judged alike by both verifiers, whatever it is made of', async () => {
    const key = join(folder, 'data', 'checkpoint-key.pub');
    const places = crafted.map((_, index) => join(folder, 'crafted', String(index)));
    for (const [index, { files }] of crafted.entries()) await write(files(), places[index] ?? '');
    const found = [];
    for (const place of places) found.push(await judge(place, { key }));
    const judged = found.map(({ status, fault }, index) => [crafted[index]?.name, fault?.code ?? status]);
    expect(judged).toEqual(crafted.map(({ name, want }) => [name, want]));
    const named = (judgements: readonly object[]) =>
      judgements.map((each, index) => [crafted[index]?.name, each]);
    if (hasPython) expect(named(judgeInPython(places, key))).toEqual(named(found));
  });

  it.each([
    { name: 'the last of which is whole', places: ['edited', 'sound'], want: 1 },
    { name: 'of which one is no export', places: ['sound', 'nowhere'], want: 2 },
    { name: 'of which one is broken and one no export', places: ['edited', 'nowhere'], want: 1 },
    { name: 'none at all', places: [], want: 2 },
  ])('gives the second verifier the status of the worst of several, $name', async ({ places, want }) => {
    await write(whole, join(folder, 'sound'));
    const edited = textOf(whole, entriesFile).replace('"kind":"', '"kind":"X');
    await write(withText(whole, entriesFile, edited), join(folder, 'edited'));
    const folders = places.map((place) => join(folder, place));
    // The key may come last, as of our verifier.
    const key = ['--key', join(folder, 'data', 'checkpoint-key.pub')];
    if (hasPython) expect(statusInPython([...folders, ...key])).toBe(want);
  });

  it.each(['manifest.json', entriesFile, 'heads.ndjson', 'sealed.ndjson', 'checkpoint.note'])(
    'is of no use with a link or a pipe in the place of %s',
    async (name) => {
      const at = (kind: string): string => join(folder, `${kind}-${name}`);
      const places = [at('link'), at('pipe')];
      for (const place of places) await write(whole, place);
      await rename(join(at('link'), name), at('elsewhere'));
      await symlink(at('elsewhere'), join(at('link'), name));
      await rm(join(at('pipe'), name));
      expect(spawnSync('mkfifo', [join(at('pipe'), name)]).status).toBe(0);
      const unusable = places.map(() => ({ status: 'Unusable' }));
      expect([await judge(at('link')), await judge(at('pipe'))]).toEqual(unusable);
      if (hasPython) expect(judgeInPython(places)).toEqual(unusable);
    },
  );
});
