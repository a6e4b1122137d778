import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { LedgerReader, openLedgerDatabase } from '#adapter-sql';
import { type EntryDraft, lateStream, LedgerWriter } from '#ledger';
import { takeFence } from '#ledger/testing';
import { checkoutStream } from '../../../../test/support/audited-ledger.ts';
import {
  anActionDraft,
  anEventDraft,
  appended,
  checkout,
  timeAfter,
} from '../../../../test/support/ledger-builders.ts';
import { maxLineBytes } from '../decision/read-lines.ts';
import { type AuditTree, makeAuditTree, verify } from '../testing/audit.fixture.ts';
import { runCli } from '../testing/run-cli.fixture.ts';
import type { ExportArguments } from './export-ledger.ts';

let audit: AuditTree;
let tree: Pick<AuditTree, 'folder'>;
let database = '';
let whole = '';
const at = (name: string): string => audit.at(name);
const anExport: AuditTree['anExport'] = (...options) => audit.anExport(...options);

beforeAll(async () => {
  audit = await makeAuditTree();
  tree = audit;
  ({ database } = audit);
  whole = await anExport();
});

afterAll(() => {
  audit.remove();
});

const aCopy = (): Promise<string> => audit.aCopy(whole);

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

  it('has the late streams of outages, which are verified like any other', async () => {
    const copy = at('late.db');
    copyFileSync(at('ledger.db'), copy);
    const { ledger: port, fences, close } = await openLedgerDatabase({ url: `sqlite:${copy}` });
    const fence = await takeFence(fences, { scope: 'shard/1' });
    const writer = new LedgerWriter({ port, fence, cluster: 'test' });
    const draft = anEventDraft({}, timeAfter(300));
    const payload = Object.assign({}, draft.payload, { epoch: '1' });
    const late = { ...draft, stream: lateStream(checkout), payload } as EntryDraft;
    appended(await writer.append({ drafts: [late] }));
    appended(await writer.append({ drafts: [late] }));
    await close();
    const exported = await anExport({ database: `sqlite:${copy}` });
    expect(entriesOf(exported).filter(({ stream }) => stream === 'late:shop/checkout')).toMatchObject([
      { payload: { epoch: '1' } },
      { payload: { epoch: '1' } },
    ]);
    expect(await verify(exported)).toMatchObject({ status: 3, report: { status: 'Consistent' } });
    const file = join(exported, 'entries-000001.ndjson');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"epoch":"1"', '"epoch":"2"'));
    expect(await verify(exported)).toMatchObject({
      status: 1,
      report: { fault: { code: 'WrongHash', stream: 'late:shop/checkout', seq: '1' } },
    });
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

  it('is resumed with the times that it was begun with, which how long ago no longer says', async () => {
    const folder = await anExport({ from: '900d', until: '1s' });
    const { filter } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
      filter: { from: string; until: string };
    };
    const resumed = { ...filter, output: folder, resume: true };
    for (const name of ['from', 'until'] as const) {
      await expect(anExport({ ...resumed, [name]: '800d' })).rejects.toMatchObject({
        name: 'UnusableError',
        message: `--${name} 800d is another time by now: ${folder} was begun with --${name} ${filter[name]}, which goes on with it`,
      });
    }
    expect(await anExport({ from: filter.from, until: filter.until, output: folder, resume: true })).toBe(
      folder,
    );
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
      want: '--from is "yesterday"; it wants RFC 3339 with its zone, or how long ago',
    },
    {
      name: 'a period that ends before it begins',
      given: () => ({ from: timeAfter(20), until: timeAfter(10) }),
      want: 'the period is empty',
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

  it.each([
    {
      name: 'the summary of another',
      sql: `UPDATE ledger_entry SET summary_id =
        (SELECT MAX(id) FROM entry_name WHERE kind = 'Summary' AND id <> summary_id) WHERE position = ?`,
    },
    {
      name: 'another text of it',
      sql: `UPDATE entry_name SET name = replace(name, 'round', 'ground')
        WHERE id = (SELECT summary_id FROM ledger_entry WHERE position = ?)`,
    },
    {
      name: 'a text that is no summary',
      sql: `UPDATE entry_name SET name = 'round'
        WHERE id = (SELECT summary_id FROM ledger_entry WHERE position = ?)`,
    },
    { name: 'another action', sql: "UPDATE ledger_entry SET action = 'ScaleDown' WHERE position = ?" },
  ])('names the decision that lists would show otherwise than it was recorded: $name', async ({ sql }) => {
    const file = at('summary.db');
    copyFileSync(at('ledger.db'), file);
    const edited = new Database(file);
    edited.exec('DROP TRIGGER ledger_entry_unchanged');
    const [row] = edited
      .prepare<[], { position: number; stream: string; seq: number }>(
        `SELECT position, stream, ledger_entry.seq FROM ledger_entry JOIN stream_head ON stream_head.id = stream_id
          WHERE summary_id IS NOT NULL ORDER BY position LIMIT 1`,
      )
      .all();
    if (row === undefined) throw new Error('no decision is summarized');
    edited.prepare(sql).run(row.position);
    edited.close();
    const folder = await anExport({ database: `sqlite:${file}` });
    expect(await verify(folder)).toMatchObject({
      status: 1,
      report: { status: 'Broken', fault: { code: 'WrongHash', stream: row.stream, seq: String(row.seq) } },
    });
  });

  it.each([
    {
      name: 'the actor',
      sql: `UPDATE ledger_entry SET actor_id = NULL WHERE position = ?`,
      where: "actor_id IS NOT NULL AND kind = 'OperatorAction'",
      want: /the actor null in place of "[^"]+"$/,
    },
    {
      name: 'the commit',
      sql: `UPDATE ledger_entry SET commit_id = NULL WHERE position = ?`,
      where: 'commit_id IS NOT NULL',
      want: /the commit null in place of "[0-9a-f]{40}"$/,
    },
    {
      name: 'the namespace',
      sql: `UPDATE entry_name SET name = 'other'
        WHERE id = (SELECT namespace_id FROM ledger_entry WHERE position = ?)`,
      where: 'namespace_id IS NOT NULL',
      want: /the namespace "other" in place of "shop"$/,
    },
    {
      name: 'the time, of an entry that names nothing',
      sql: 'UPDATE ledger_entry SET time_nanoseconds = 1 WHERE position = ?',
      where: 'actor_id IS NULL AND commit_id IS NULL',
      want: /the time "1" in place of "\d+"$/,
    },
    {
      name: 'a scope that it does not concern',
      sql: `UPDATE ledger_entry SET policy_id = (SELECT MIN(id) FROM entry_name WHERE kind = 'Namespace')
        WHERE position = ?`,
      where: "policy_id IS NOT NULL AND kind = 'OperatorAction'",
      want: /the scope null in place of "[^"]+"$/,
    },
  ])('names what a list would not find an entry by: $name', async ({ sql, where, want }) => {
    const file = at(`columns-${want.source.length}.db`);
    copyFileSync(at('ledger.db'), file);
    const written = await openLedgerDatabase({ url: `sqlite:${file}` });
    const fence = await takeFence(written.fences, { scope: 'shard/1' });
    const writer = new LedgerWriter({ port: written.ledger, fence, cluster: 'test' });
    const drafts = [anActionDraft('ada', timeAfter(300), { policy: 'shop/checkout' })];
    appended(await writer.append({ drafts }));
    await written.close();
    const edited = new Database(file);
    edited.exec('DROP TRIGGER ledger_entry_unchanged');
    const [row] = edited
      .prepare<[], { position: number; stream: string; seq: number }>(
        `SELECT position, stream, ledger_entry.seq FROM ledger_entry JOIN stream_head ON stream_head.id = stream_id
          WHERE ${where.replaceAll('namespace_id', 'ledger_entry.namespace_id')} ORDER BY stream, position LIMIT 1`,
      )
      .all();
    if (row === undefined) throw new Error('there is no such entry');
    edited.prepare(sql).run(row.position);
    edited.close();
    const folder = await anExport({ database: `sqlite:${file}` });
    expect(await verify(folder)).toMatchObject({
      status: 1,
      report: {
        status: 'Broken',
        fault: {
          code: 'WrongHash',
          stream: row.stream,
          seq: String(row.seq),
          message: expect.stringMatching(want),
        },
      },
    });
  });

  it('names the entry whose payload cannot be unpacked any more', async () => {
    copyFileSync(at('ledger.db'), at('unpackable.db'));
    const damaged = new Database(at('unpackable.db'));
    damaged.exec('DROP TRIGGER ledger_entry_unchanged');
    const [row] = damaged
      .prepare<[], { stream: string; seq: number; packed: Buffer }>(
        `SELECT stream, ledger_entry.seq, packed FROM ledger_entry JOIN stream_head ON stream_head.id = stream_id
          WHERE packed IS NOT NULL AND base_seq IS NULL ORDER BY position LIMIT 1`,
      )
      .all();
    if (row === undefined) throw new Error('no payload is packed');
    const { stream, seq } = row;
    damaged.prepare('UPDATE ledger_entry SET packed = ? WHERE packed = ?').run(
      row.packed.map((byte) => byte ^ 0x55),
      row.packed,
    );
    damaged.close();
    for (const options of [{}, { kind: ['ScalingEvent'] }]) {
      const folder = await anExport({ database: `sqlite:${at('unpackable.db')}`, ...options });
      expect(await verify(folder)).toMatchObject({
        status: 1,
        report: { status: 'Broken', fault: { code: 'WrongHash', stream, seq: String(seq) } },
      });
    }
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

function rewrite(folder: string, from: string, to: string): void {
  const file = join(folder, 'manifest.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
}
