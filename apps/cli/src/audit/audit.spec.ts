import { generateKeyPairSync } from 'node:crypto';
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { LedgerReader, openLedgerDatabase } from '#adapter-sql';
import { adminStream, LedgerWriter, parseCheckpointNote, parseSigningKey, signNote } from '#ledger';
import { takeFence } from '#ledger/testing';
import { checkoutStream, fillLedger, sealLedger } from '../../../../test/support/audited-ledger.ts';
import { anEventDraft, appended, timeAfter } from '../../../../test/support/ledger-builders.ts';
import { maxLineBytes } from '../decision/read-lines.ts';
import { aTerminal, type FileTree, makeTree, runCli } from '../testing/run-cli.fixture.ts';
import { type ExportArguments, exportLedger } from './export-ledger.ts';
import { RecordedNote, type Witnesses } from './verify-checkpoint.ts';
import { verifyExport } from './verify-export.ts';

let tree: FileTree;
let database = '';
let whole = '';

beforeAll(async () => {
  tree = makeTree({});
  database = `sqlite:${at('ledger.db')}`;
  await fillLedger(database);
  whole = await anExport();
});

afterAll(() => {
  tree.remove();
});

function at(name: string): string {
  return join(tree.folder, name);
}

let exports = 0;

async function anExport(options: Partial<ExportArguments> = {}, bytesPerFile?: number): Promise<string> {
  const output = at(`export-${(exports += 1)}`);
  await exportLedger({ database, output, ...options }, aTerminal(), bytesPerFile);
  return output;
}

async function aCopy(): Promise<string> {
  const copy = at(`copy-${(exports += 1)}`);
  await cp(whole, copy, { recursive: true });
  return copy;
}

interface Verified {
  readonly status: number;
  readonly report: {
    readonly status: string;
    readonly entries?: number;
    readonly headers?: number;
    readonly streams?: number;
    readonly fault: { readonly code: string; readonly stream: string; readonly seq: string } | null;
  };
}

async function verify(folder: string, witnesses: Witnesses = {}): Promise<Verified> {
  const output = new PassThrough();
  const status = await verifyExport(folder, { format: 'json', ...witnesses }, { ...aTerminal(), output });
  return { status, report: JSON.parse(String(output.read())) as Verified['report'] };
}

function linesOf(folder: string): readonly string[] {
  return readFileSync(join(folder, 'entries-000001.ndjson'), 'utf8').trimEnd().split('\n');
}

interface Line {
  readonly kind: string;
  readonly time: string;
  readonly stream: string;
  readonly format: number;
  readonly payload?: unknown;
}

function entriesOf(folder: string): readonly Line[] {
  return linesOf(folder).map((line) => JSON.parse(line) as Line);
}

describe('plimsoll audit export', () => {
  it('writes every entry with its payload, streams by name, where nothing is left out', async () => {
    const entries = entriesOf(whole);
    expect(entries.every(({ payload }) => payload !== undefined)).toBe(true);
    const streams = [...new Set(entries.map(({ stream }) => stream))];
    expect(streams).toEqual([...streams].sort());
    expect(await verify(whole)).toMatchObject({
      status: 3,
      report: { status: 'Consistent', streams: streams.length, entries: entries.length, headers: 0 },
    });
  });

  it.each<{ name: string; given: Partial<ExportArguments>; want: (line: Line) => boolean; streams: number }>([
    { name: 'a kind', given: { kind: ['SyncRun'] }, want: ({ kind }) => kind === 'SyncRun', streams: 6 },
    {
      name: 'a period',
      given: { from: timeAfter(60), until: timeAfter(120) },
      want: ({ time }) => time === timeAfter(60),
      streams: 6,
    },
    { name: 'a namespace', given: { namespace: ['shop'] }, want: () => true, streams: 3 },
    {
      name: 'a namespace and a policy beside it',
      given: { namespace: ['billing'], policy: ['shop/cart'] },
      want: () => true,
      streams: 2,
    },
    {
      name: 'a kind of a policy',
      given: { policy: ['shop/checkout'], kind: ['ScalingEvent'] },
      want: ({ kind }) => kind === 'ScalingEvent',
      streams: 1,
    },
  ])('leaves a chain that verifies with nothing but $name', async ({ given, want, streams }) => {
    const folder = await anExport(given);
    const entries = entriesOf(folder);
    for (const entry of entries) expect(entry.payload !== undefined).toBe(want(entry) || entry.format === 1);
    const headers = entries.filter(({ payload }) => payload === undefined).length;
    expect(await verify(folder)).toMatchObject({ status: 3, report: { streams, headers } });
  });

  it('exports what is there while another process writes', async () => {
    const copy = at('written.db');
    copyFileSync(at('ledger.db'), copy);
    const written = await openLedgerDatabase({ url: `sqlite:${copy}` });
    const writer = new LedgerWriter({
      port: written.ledger,
      fence: await takeFence(written.fences, { scope: 'shard/1' }),
      cluster: 'test',
    });
    const stop = new AbortController();
    const writing = (async () => {
      while (!stop.signal.aborted)
        appended(await writer.append({ drafts: [anEventDraft({}, timeAfter(300))] }));
    })();
    const folders = [];
    for (let round = 0; round < 3; round += 1) folders.push(await anExport({ database: `sqlite:${copy}` }));
    stop.abort();
    await writing;
    await written.close();
    for (const folder of folders) expect(await verify(folder)).toMatchObject({ status: 3 });
    expect(linesOf(folders[2]!).length).toBeGreaterThan(linesOf(whole).length);
  });

  it('goes on with an interrupted export, to the same bytes', async () => {
    const filter = { kind: ['Decision', 'DecisionRun'] };
    const complete = await anExport(filter, 2_000);
    const names = readdirSync(complete).filter((name) => name.startsWith('entries'));
    expect(names.length).toBeGreaterThan(3);
    const manifest = JSON.parse(readFileSync(join(complete, 'manifest.json'), 'utf8')) as {
      files: { path: string; entries: number }[];
      entries: number;
    };
    const interrupted = at('interrupted');
    await cp(complete, interrupted, { recursive: true });
    const [first, second] = manifest.files;
    const last = JSON.parse(
      readFileSync(join(complete, second!.path), 'utf8').trimEnd().split('\n').at(-1)!,
    ) as { stream: string; seq: string };
    const { entries, ...rest } = manifest;
    expect(entries).toBe(linesOf(whole).length);
    writeFileSync(
      join(interrupted, 'progress.json'),
      JSON.stringify({
        ...rest,
        database,
        files: [first, second],
        last: { stream: last.stream, seq: last.seq },
      }),
    );
    rmSync(join(interrupted, 'manifest.json'));
    writeFileSync(join(interrupted, manifest.files[2]!.path), '{"cluster":');
    for (const name of names.slice(3)) rmSync(join(interrupted, name));
    await expect(verify(interrupted)).rejects.toThrow('the export is not complete');
    await expect(anExport({ output: interrupted })).rejects.toThrow('is not empty');
    await expect(anExport({ output: interrupted, resume: true })).rejects.toThrow('another filter');
    await anExport({ ...filter, output: interrupted, resume: true }, 2_000);
    for (const name of readdirSync(complete))
      expect(readFileSync(join(interrupted, name), 'utf8')).toBe(readFileSync(join(complete, name), 'utf8'));
    expect(readdirSync(interrupted)).toEqual(readdirSync(complete));
    // Nothing is left to be done.
    await anExport({ ...filter, output: interrupted, resume: true });
    await expect(anExport({ output: interrupted, resume: true })).rejects.toThrow('another filter');
  });

  it('is made before its heads are read, so that it lacks no checkpoint that was signed before', async () => {
    let readAt = 0;
    const reading = jest.spyOn(LedgerReader.prototype, 'lastNote').mockImplementationOnce(async () => {
      readAt = Date.now();
      while (Date.now() === readAt) await nextTurn();
      return null;
    });
    const folder = await anExport();
    reading.mockRestore();
    const { madeAt } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { madeAt: string };
    expect(Date.parse(madeAt)).toBeLessThanOrEqual(readAt);
  });

  it.each<{ name: string; given: () => Partial<ExportArguments>; want: string }>([
    {
      name: 'a file that is not there',
      given: () => ({ database: `sqlite:${at('none.db')}` }),
      want: 'there is no file',
    },
    {
      name: 'a file that is no database',
      given: () => {
        writeFileSync(at('text.db'), 'no database '.repeat(1_000));
        return { database: `sqlite:${at('text.db')}` };
      },
      want: 'file is not a database',
    },
    {
      name: 'a database of an earlier release',
      given: () => {
        copyFileSync(at('ledger.db'), at('old.db'));
        const old = new Database(at('old.db'));
        old.exec("DELETE FROM migration WHERE name LIKE 'AddEntryFormat%'");
        old.close();
        return { database: `sqlite:${at('old.db')}` };
      },
      want: 'AddEntryFormat1795290000000 is missing',
    },
    {
      name: 'a password of a file',
      given: () => ({ passwordFile: at('ledger.db') }),
      want: '--password-file is for a postgres:// URL',
    },
    {
      name: 'a URL of neither database',
      given: () => ({ database: 'mysql://host/db' }),
      want: 'the database URL must be',
    },
    {
      name: 'a time that is none',
      given: () => ({ from: 'yesterday' }),
      want: '"yesterday" is no RFC 3339 time',
    },
    {
      name: 'a kind that is none',
      given: () => ({ kind: ['Decisions'] }),
      want: 'there is no kind "Decisions"',
    },
    {
      name: 'a policy without a namespace',
      given: () => ({ policy: ['cart'] }),
      want: 'it is named NAMESPACE/NAME',
    },
    {
      name: 'a folder with something else in it',
      given: () => ({ output: tree.folder, resume: true }),
      want: 'is not empty, and no export',
    },
    { name: 'a folder that is a file', given: () => ({ output: at('ledger.db') }), want: 'cannot write to' },
  ])('refuses $name', async ({ given, want }) => {
    await expect(anExport(given())).rejects.toMatchObject({
      name: 'UnusableError',
      message: expect.stringContaining(want),
    });
  });
});

describe('plimsoll audit verify', () => {
  it('names the entry that was edited in the database', async () => {
    copyFileSync(at('ledger.db'), at('edited.db'));
    const edited = new Database(at('edited.db'));
    edited.exec('DROP TRIGGER ledger_entry_unchanged');
    edited.exec(`UPDATE ledger_entry SET payload = replace(payload, '"to":1', '"to":9')
      WHERE seq = 4 AND stream_id = (SELECT id FROM stream_head WHERE stream = '${checkoutStream}')`);
    edited.close();
    const folder = await anExport({ database: `sqlite:${at('edited.db')}` });
    expect(await verify(folder)).toMatchObject({
      status: 1,
      report: { status: 'Broken', fault: { code: 'WrongHash', stream: checkoutStream, seq: '4' } },
    });
  });

  it('finds an entry from the future', async () => {
    copyFileSync(at('ledger.db'), at('future.db'));
    const { ledger, fences, close } = await openLedgerDatabase({ url: `sqlite:${at('future.db')}` });
    const fence = await takeFence(fences, { scope: 'shard/1' });
    const writer = new LedgerWriter({ port: ledger, fence, cluster: 'test' });
    appended(await writer.append({ drafts: [anEventDraft({}, '2199-01-01T00:00:00Z')] }));
    await close();
    const folder = await anExport({ database: `sqlite:${at('future.db')}` });
    expect(await verify(folder)).toMatchObject({
      status: 1,
      report: { fault: { code: 'FutureTime', seq: '7' } },
    });
  });

  it('finds a payload that the filter does not leave out', async () => {
    const filtered = await anExport({ kind: ['ScalingEvent'] });
    const manifest = readFileSync(join(filtered, 'manifest.json'), 'utf8');
    writeFileSync(join(filtered, 'manifest.json'), manifest.replace('["ScalingEvent"]', 'null'));
    expect(await verify(filtered)).toMatchObject({
      status: 1,
      report: { fault: { code: 'ContentMissing' } },
    });
  });

  it('finds a file that is missing, by the first entry in it', async () => {
    const folder = await aCopy();
    rmSync(join(folder, 'entries-000001.ndjson'));
    expect(await verify(folder)).toMatchObject({
      status: 1,
      report: { fault: { code: 'Truncated', stream: 'admin', seq: '1' } },
    });
  });

  it('finds a line without an end, and does not keep it', async () => {
    const folder = await aCopy();
    const file = join(folder, 'entries-000001.ndjson');
    writeFileSync(
      file,
      Buffer.concat([Buffer.alloc(maxLineBytes + 1, 'x'), Buffer.from(`\n${linesOf(whole).join('\n')}\n`)]),
    );
    expect(await verify(folder)).toMatchObject({
      status: 1,
      report: { fault: { code: 'UnreadableEntry', stream: 'admin', seq: '1' } },
    });
  });

  it.each<{ name: string; given: (folder: string) => void; want: string }>([
    {
      name: 'a path that leaves the folder',
      given: (folder) => {
        rewrite(folder, 'entries-000001.ndjson', '../entries-000001.ndjson');
      },
      want: 'this is no name of a file of entries',
    },
    {
      name: 'a link out of the folder',
      given: (folder) => {
        renameSync(join(folder, 'entries-000001.ndjson'), `${folder}.ndjson`);
        symlinkSync(`${folder}.ndjson`, join(folder, 'entries-000001.ndjson'));
      },
      want: 'is no regular file',
    },
    {
      name: 'another form of export',
      given: (folder) => {
        rewrite(folder, '"exportFormat":1', '"exportFormat":2');
      },
      want: 'export format 2 is not known; this program knows 1',
    },
    {
      name: 'a manifest that is no JSON',
      given: (folder) => {
        rewrite(folder, '{', '');
      },
      want: 'cannot read',
    },
    {
      name: 'a folder without heads',
      given: (folder) => {
        rmSync(join(folder, 'heads.ndjson'));
      },
      want: 'heads.ndjson is missing',
    },
    {
      name: 'a folder that is no export',
      given: (folder) => {
        rmSync(join(folder, 'manifest.json'));
      },
      want: 'this is no complete export',
    },
    {
      name: 'a file in the place of a folder',
      given: (folder) => {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, '');
      },
      want: 'is no folder, as an export is',
    },
    {
      name: 'nothing at all',
      given: (folder) => {
        rmSync(folder, { recursive: true });
      },
      want: 'there is no such export',
    },
  ])('refuses $name', async ({ given, want }) => {
    const folder = await aCopy();
    given(folder);
    await expect(verify(folder)).rejects.toMatchObject({
      name: 'UnusableError',
      message: expect.stringContaining(want),
    });
  });

  it('ends with the status that it says', async () => {
    const broken = await aCopy();
    writeFileSync(join(broken, 'entries-000001.ndjson'), `${linesOf(whole).toSpliced(3, 1).join('\n')}\n`);
    const run = (...args: readonly string[]): number | null => runCli(tree.folder, args).status;
    expect(run('audit', 'verify', whole)).toBe(3);
    expect(runCli(tree.folder, ['audit', 'verify', broken])).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^broken: policy:billing\/a-rather-long-name#1: /),
    });
    expect(run('audit', 'verify', at('nothing'))).toBe(2);
    expect(run('audit', 'export', '--database', database, '--output', at('by-process'))).toBe(0);
    expect(await verify(at('by-process'))).toMatchObject({ status: 3 });
  });
});

describe('plimsoll audit verify, against what was obtained elsewhere', () => {
  let sealed = '';
  let notes = '';

  beforeAll(async () => {
    copyFileSync(at('ledger.db'), at('sealed.db'));
    notes = at('notes');
    await sealLedger(`sqlite:${at('sealed.db')}`, at('sealed-data'), notes);
    sealed = await anExport({ database: `sqlite:${at('sealed.db')}` });
  });

  const key = (): string => join(at('sealed-data'), 'checkpoint-key.pub');
  const notesOf = (): readonly string[] => readFileSync(notes, 'utf8').trim().split('\n\nplimsoll/');
  const aNote = (name: string, text: string): string => {
    writeFileSync(at(name), text);
    return at(name);
  };
  const earlier = (): string => aNote('earlier', `${notesOf()[0]}\n`);
  /** A checkpoint of the ledger that its own key has signed, and that the ledger does not have. */
  const signed = (change: (body: string) => string): string => {
    const { bodyText, body } = parseCheckpointNote(readFileSync(join(sealed, 'checkpoint.note'), 'utf8'))!;
    const signingKey = parseSigningKey(readFileSync(join(at('sealed-data'), 'key.pem'), 'utf8'));
    return aNote('signed', signNote(change(bodyText), body.origin, signingKey));
  };

  it('says which checkpoint seals it, and how much is unsealed', async () => {
    expect(await verify(sealed, { key: key() })).toMatchObject({
      status: 0,
      report: { status: 'Proven', checkpoint: { number: '3', time: timeAfter(602) }, unsealed: 9 },
    });
  });

  it('is proven by the last of the checkpoints in a file, and only consistent by an earlier one', async () => {
    expect(await verify(sealed, { checkpoint: notes })).toMatchObject({ status: 0 });
    expect(await verify(sealed, { checkpoint: earlier() })).toMatchObject({ status: 3 });
    expect(await verify(sealed, { checkpoint: earlier(), key: key() })).toMatchObject({ status: 0 });
  });

  it.each([
    { name: 'the last checkpoint', number: '3' },
    { name: 'an earlier checkpoint', number: '1' },
  ])('finds that $name contradicts another of its number, and shows both', async ({ number }) => {
    const checkpoint = signed((body) =>
      body
        .replace(/^checkpoint .*$/m, `checkpoint ${number}`)
        .replace(/^root .*$/m, `root ${'a'.repeat(64)}`),
    );
    const { status, report } = await verify(sealed, { checkpoint, key: key() });
    expect(status).toBe(1);
    expect(report.fault).toMatchObject({ code: 'Equivocation' });
    expect(JSON.stringify(report.fault).match(new RegExp(`checkpoint ${number}`, 'g'))).toHaveLength(2);
  });

  it('finds that a checkpoint is missing that was signed before the export was made', async () => {
    const later = signed((body) =>
      body.replace('checkpoint 3', 'checkpoint 4').replace(/^time .*$/m, `time ${timeAfter(9)}`),
    );
    expect(await verify(sealed, { checkpoint: later })).toMatchObject({
      status: 1,
      report: { fault: { code: 'CheckpointMissing' } },
    });
    const afterwards = signed((body) =>
      body.replace('checkpoint 3', 'checkpoint 4').replace(/^time .*$/m, 'time 2190-01-01T00:00:00Z'),
    );
    expect(await verify(sealed, { checkpoint: afterwards, key: key() })).toMatchObject({ status: 0 });
  });

  it('finds a forged checkpoint', async () => {
    const forged = at('forged');
    await cp(sealed, forged, { recursive: true });
    const file = join(forged, 'checkpoint.note');
    writeFileSync(file, readFileSync(file, 'utf8').replace('checkpoint 3', 'checkpoint 4'));
    expect(await verify(forged, { key: key() })).toMatchObject({
      status: 1,
      report: { fault: { code: 'WrongSignature' } },
    });
  });

  it('reads no more of a checkpoint than one may have', async () => {
    const padded = at('padded');
    await cp(sealed, padded, { recursive: true });
    // More than a text may have; the file has holes.
    truncateSync(join(padded, 'checkpoint.note'), 1024 ** 3);
    expect(await verify(padded)).toMatchObject({
      status: 1,
      report: { fault: { code: 'UnreadableCheckpoint' } },
    });
  });

  it.each(['null', '{"number":', '[]'])(
    'takes no note from a checkpoint whose payload is %s',
    (payloadText) => {
      const text = readFileSync(join(sealed, 'checkpoint.note'), 'utf8');
      const recorded = new RecordedNote({ key: null, other: { text, note: parseCheckpointNote(text)! } });
      recorded.look({
        stream: adminStream,
        seq: 1n,
        kind: 'Checkpoint',
        format: 2,
        cluster: 'test',
        time: timeAfter(0),
        previousHash: '0'.repeat(64),
        hash: '0'.repeat(64),
        payloadText,
      });
      expect(recorded.note).toBeNull();
    },
  );

  it.each<{ name: string; given: () => Witnesses; want: string }>([
    {
      name: 'a key of another algorithm',
      given: () => {
        const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        return { key: aNote('ec.pub', publicKey.export({ type: 'spki', format: 'pem' })) };
      },
      want: 'checkpoints are signed with Ed25519',
    },
    { name: 'a key that is not there', given: () => ({ key: at('no.pub') }), want: 'no such file' },
    {
      name: 'a file that is no checkpoint',
      given: () => ({ checkpoint: aNote('text', 'text') }),
      want: 'this is no checkpoint',
    },
    {
      name: 'a checkpoint of another ledger',
      given: () => ({
        checkpoint: signed((body) => body.replace(/^plimsoll.*$/m, `plimsoll/test/${'0'.repeat(32)}`)),
      }),
      want: 'the checkpoint is of plimsoll/test/0000',
    },
    {
      name: 'a later checkpoint of another ledger',
      given: () => ({
        checkpoint: signed((body) =>
          body
            .replace(/^plimsoll.*$/m, `plimsoll/test/${'0'.repeat(32)}`)
            .replace('checkpoint 3', 'checkpoint 4')
            .replace(/^time .*$/m, `time ${timeAfter(9)}`),
        ),
      }),
      want: 'the checkpoint is of plimsoll/test/0000',
    },
  ])('refuses $name', async ({ given, want }) => {
    await expect(verify(sealed, given())).rejects.toMatchObject({
      name: 'UnusableError',
      message: expect.stringContaining(want),
    });
  });
});

describe('plimsoll audit key', () => {
  it('prints the public key, and refuses another algorithm', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    tree.write({
      'data/checkpoint-key.pub': pem,
      'other/checkpoint-key.pub': other.export({ type: 'spki', format: 'pem' }),
    });
    const key = (folder: string): ReturnType<typeof runCli> =>
      runCli(tree.folder, ['audit', 'key', '--data-folder', folder]);
    expect(key('data')).toMatchObject({ status: 0, stdout: pem });
    expect(key('other')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('Ed25519') });
    expect(key('none')).toMatchObject({ status: 2, stderr: expect.stringContaining('no such file') });
  });
});

function rewrite(folder: string, from: string, to: string): void {
  const file = join(folder, 'manifest.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
}
