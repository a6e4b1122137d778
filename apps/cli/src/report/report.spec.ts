import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { checkoutStream, expireLedger, sealLedger } from '../../../../test/support/audited-ledger.ts';
import { timeAfter } from '../../../../test/support/ledger-builders.ts';
import { type AuditTree, makeAuditTree } from '../testing/audit.fixture.ts';
import { aTerminal, runCli } from '../testing/run-cli.fixture.ts';
import type { ReportArguments } from './report-arguments.ts';
import { writeAuditReport } from './write-audit-report.ts';

let audit: AuditTree;
const period = { from: timeAfter(-3_600), until: timeAfter(3_600) };

beforeAll(async () => {
  audit = await makeAuditTree();
});

afterAll(() => {
  audit.remove();
});

interface Report {
  readonly report: {
    readonly period: { readonly from: string; readonly until: string };
    readonly madeAt: string;
    readonly readFrom: string;
    readonly heads: readonly { readonly stream: string }[];
  };
  readonly rows: readonly { readonly namespace: string; readonly entry: string }[];
  readonly totals: { readonly policies: readonly object[] };
  readonly verification: { readonly status: string; readonly fault: string | null };
}

async function reported(
  folder: string | undefined,
  given: Partial<ReportArguments> = {},
): Promise<{ readonly status: number; readonly written: string }> {
  const output = new PassThrough();
  const environment = { XDG_CONFIG_HOME: audit.folder };
  const usual = { timeZone: 'UTC', teamLabel: 'team', format: 'json', ...period } as const;
  const [status, written] = await Promise.all([
    writeAuditReport(folder, { ...usual, ...given }, { ...aTerminal(), environment, output }).finally(() =>
      output.end(),
    ),
    text(output),
  ]);
  return { status, written };
}

async function jsonOf(folder: string | undefined, given: Partial<ReportArguments> = {}): Promise<Report> {
  return JSON.parse((await reported(folder, given)).written) as Report;
}

describe('plimsoll report', () => {
  it('says the same of a database and of its export', async () => {
    const folder = await audit.anExport();
    const [ofDatabase, ofExport] = [
      await jsonOf(undefined, { database: audit.database }),
      await jsonOf(folder),
    ];
    expect(ofDatabase.rows.length).toBeGreaterThan(9);
    expect({ ...ofExport, report: { ...ofExport.report, madeAt: '', readFrom: '' } }).toEqual({
      ...ofDatabase,
      report: { ...ofDatabase.report, madeAt: '', readFrom: '' },
    });
    expect(ofExport.verification).toEqual({ status: 'Consistent', fault: null });
  });

  it('takes how long ago its period begins and ends', async () => {
    const { report } = await jsonOf(undefined, { database: audit.database, from: '2d', until: '1d' });
    expect(Date.parse(report.period.until) - Date.parse(report.period.from)).toBe(86_400_000);
  });

  it('reads the streams of a namespace, and of no other policy', async () => {
    const { report, rows } = await jsonOf(undefined, { database: audit.database, namespace: ['bill*'] });
    expect(report.heads.map(({ stream }) => stream)).toEqual(['admin', 'policy:billing/a-rather-long-name']);
    expect(new Set(rows.map(({ namespace }) => namespace))).toEqual(new Set(['billing']));
  });

  it('ends with 1 where nothing matches, and says what there is', async () => {
    const messages = new PassThrough();
    const terminal = { ...aTerminal(), messages, output: new PassThrough().resume() };
    const usual = { timeZone: 'UTC', teamLabel: 'team', format: 'json', ...period } as const;
    const given = { ...usual, database: audit.database, namespace: ['nope'] };
    expect(await writeAuditReport(undefined, given, terminal)).toBe(1);
    expect(String(messages.read())).toMatch(
      /^plimsoll: nothing matches: there is no policy in namespace nope: there is /,
    );
  });

  it.each([
    { given: {}, want: 'an export of everything' },
    { given: { namespace: ['shop'] }, want: 'an export of namespaces shop only' },
    {
      given: { from: '2020-01-01T00:00:00Z' },
      want: 'an export of everything from 2020-01-01T00:00:00Z',
    },
  ])('says what the export that it was made from leaves out: $want', async ({ given, want }) => {
    const { report } = await jsonOf(await audit.anExport(given));
    expect(report.readFrom).toBe(want);
  });

  it('ends with 1 where the ledger does not verify, and reports what there is', async () => {
    copyFileSync(audit.at('ledger.db'), audit.at('edited.db'));
    const edited = new Database(audit.at('edited.db'));
    edited.exec('DROP TRIGGER ledger_entry_unchanged');
    edited.exec(`UPDATE ledger_entry SET payload = replace(payload, '"to":1', '"to":9')
      WHERE seq = 4 AND stream_id = (SELECT id FROM stream_head WHERE stream = '${checkoutStream}')`);
    edited.close();
    const database = `sqlite:${audit.at('edited.db')}`;
    const { status, written } = await reported(undefined, { database });
    expect(status).toBe(1);
    expect(JSON.parse(written)).toMatchObject({
      verification: { status: 'Broken', fault: expect.stringContaining(`${checkoutStream}#4`) },
    });
    const folder = await audit.anExport({ database });
    expect((await reported(folder)).status).toBe(1);
  });

  it('names the checkpoint, and finds a ledger that was cut back behind it', async () => {
    const [file, database] = [audit.at('sealed.db'), `sqlite:${audit.at('sealed.db')}`];
    copyFileSync(audit.at('ledger.db'), file);
    await sealLedger(database, audit.at('sealed-data'), audit.at('sealed-notes'));
    expect(await jsonOf(undefined, { database })).toMatchObject({
      report: { checkpoint: { number: '3' } },
      verification: { status: 'Consistent' },
    });
    const cut = new Database(file);
    for (const { name } of cut.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all() as {
      name: string;
    }[])
      cut.exec(`DROP TRIGGER ${name}`);
    cut.exec(`DELETE FROM ledger_entry WHERE seq > 4
      AND stream_id = (SELECT id FROM stream_head WHERE stream = '${checkoutStream}')`);
    cut.exec(`UPDATE stream_head SET seq = 4, hash = (SELECT hash FROM ledger_entry AS entry
      WHERE entry.stream_id = stream_head.id AND entry.seq = 4) WHERE stream = '${checkoutStream}'`);
    cut.close();
    expect(await jsonOf(undefined, { database })).toMatchObject({
      verification: { status: 'Broken', fault: expect.stringContaining('the checkpoint covers') },
    });
  });

  it('takes what retention has deleted for unknown, and for no fault', async () => {
    const database = `sqlite:${audit.at('expired.db')}`;
    copyFileSync(audit.at('ledger.db'), audit.at('expired.db'));
    await sealLedger(database, audit.at('expired-data'), audit.at('expired-notes'));
    await expireLedger(database);
    const report = await jsonOf(undefined, { database });
    expect(report.verification).toEqual({ status: 'Consistent', fault: null });
    expect(report.rows.map(({ entry }) => entry)).not.toContain(`${checkoutStream}#2`);
    expect(await jsonOf(await audit.anExport({ database }))).toMatchObject({
      rows: report.rows,
      totals: report.totals,
      verification: report.verification,
    });
  });

  it('says that an export is broken', async () => {
    const folder = await audit.aCopy(await audit.anExport());
    const file = join(folder, 'entries-000001.ndjson');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"to":2', '"to":7'));
    expect(await reported(folder, { format: 'html' })).toMatchObject({
      status: 1,
      written: expect.stringContaining('The ledger does not verify'),
    });
  });

  it('writes CSV with a price into a file, as a process', () => {
    const file = audit.at('report.csv');
    const [from, until] = [period.from, period.until];
    const { status, stderr } = runCli(audit.folder, [
      ...['report', '--database', audit.database, '--from', from, '--until', until, '--format', 'csv'],
      ...['--price-per-replica-hour', '0.045', '--currency', 'EUR', '--output', file],
    ]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const written = readFileSync(file, 'utf8');
    expect(written).toContain('0.045 EUR per replica-hour');
    expect(written).toMatch(/\r\nStatement,,,,,,verification,,Consistent,/);
  });

  it.each<{
    name: string;
    given: () => Promise<Partial<ReportArguments> & { folder?: string }>;
    want: string;
  }>([
    {
      name: 'no export, no database and no controller',
      given: () => Promise.resolve({}),
      want: 'no controller is known',
    },
    {
      name: 'a controller beside a database',
      given: () => Promise.resolve({ database: audit.database, context: 'prod' }),
      want: '--context names a controller',
    },
    {
      name: 'a database that is not there',
      given: () => Promise.resolve({ database: `sqlite:${audit.at('none.db')}` }),
      want: 'there is no file',
    },
    {
      name: 'a time that is none',
      given: () => Promise.resolve({ database: audit.database, from: '12 h' }),
      want: '--from is "12 h"; it wants a date (2027-03-01), RFC 3339 with its zone, or how long ago',
    },
    {
      name: 'a zone that is none',
      given: () => Promise.resolve({ database: audit.database, timeZone: 'Mars' }),
      want: '--time-zone is "Mars"',
    },
    {
      name: 'a period that has not ended',
      given: () => Promise.resolve({ database: audit.database, until: timeAfter(9 * 365 * 86_400) }),
      want: 'the period ends after',
    },
    {
      name: 'a price without a currency',
      given: () => Promise.resolve({ database: audit.database, pricePerReplicaHour: '1' }),
      want: '--price-per-replica-hour "1" and no --currency is no price: it wants',
    },
    {
      name: 'a price with a comma',
      given: () =>
        Promise.resolve({ database: audit.database, pricePerReplicaHour: '0,45', currency: 'EUR' }),
      want: '--price-per-replica-hour "0,45" and --currency "EUR" is no price: it wants',
    },
    {
      name: 'a namespace that is none',
      given: () => Promise.resolve({ database: audit.database, namespace: ['shop', 'Shop!'] }),
      want: '--namespace is "Shop!"; it wants the name of a namespace, or a pattern such as',
    },
    {
      name: 'a policy that is none',
      given: () => Promise.resolve({ database: audit.database, policy: ['checkout'] }),
      want: '"checkout" is no policy',
    },
    {
      name: 'an end before the beginning',
      given: () => Promise.resolve({ database: audit.database, until: '2020-01-01' }),
      want: 'the period ends at 2020-01-01, which is not after its beginning',
    },
    {
      name: 'an export of some kinds',
      given: async () => ({ folder: await audit.anExport({ kind: ['Decision'] }) }),
      want: 'a report needs all kinds',
    },
    {
      name: 'an export of another period',
      given: async () => ({ folder: await audit.anExport({ from: timeAfter(0) }) }),
      want: '; export all of the period, or give a shorter one',
    },
    {
      name: 'a file that cannot be written',
      given: () => Promise.resolve({ database: audit.database, output: audit.at('none/report.html') }),
      want: 'no such file or folder',
    },
  ])('refuses $name', async ({ given, want }) => {
    const { folder, ...options } = await given();
    await expect(reported(folder, options)).rejects.toMatchObject({
      name: 'UnusableError',
      message: expect.stringContaining(want),
    });
  });
});
