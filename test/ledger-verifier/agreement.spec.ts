import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { backUpDatabase, restoreDatabase } from '#adapter-sql';
import { adminStream, generateSigningKey, parseSigningKey, publicKeyPem } from '#ledger';
import { exportLedger } from '../../apps/cli/src/audit/export-ledger.ts';
import { makeNewKey } from '../../apps/cli/src/audit/new-key.ts';
import { expireLedger, fillLedger, sealLedger } from '../support/audited-ledger.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import { type Edit, editExport, editNames } from './edits.ts';
import { of, type RetentionEdit, withBareRetentionRun, withRetentionRun } from './retention-edits.ts';
import {
  aTerminal,
  hasPython,
  judge,
  judgeInPython,
  type Judgement,
  read,
  reportOf,
  reportsInPython,
  write,
} from './verifiers.ts';

/** Of all exports of both databases together; a night's run has ten thousand, as PLIMSOLL_LEDGER_EDITS. */
const editCount = Number(process.env['PLIMSOLL_LEDGER_EDITS'] ?? 400);
/** Of one process of the second verifier. */
const foldersPerRun = 100;
let folder = '';
let postgres: TestPostgres;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-verifiers-'));
  postgres = await startPostgres();
}, 60_000);

afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true });
});

async function anExport(
  database: string,
  filter: { readonly kind?: readonly string[]; readonly namespace?: readonly string[] } = {},
): Promise<string> {
  const output = join(folder, `export-${(exports += 1)}`);
  const { terminal } = aTerminal();
  await exportLedger({ database, output, ...filter }, terminal);
  return output;
}
let exports = 0;

interface Case {
  readonly edit: Edit;
  readonly place: string;
  readonly found: Judgement;
}

async function editedCases(exported: string, random: Random): Promise<readonly Case[]> {
  const original = await read(exported);
  const cases: Case[] = [];
  const count = Math.ceil(editCount / (databases.length * exportNames.length));
  for (let index = 0; index < count; index += 1) {
    const edit = editExport(original, editNames[index % editNames.length] ?? 'bit', random);
    const place = join(folder, 'edited', String(index));
    await write(edit.files, place);
    cases.push({ edit, place, found: await judge(place) });
  }
  return cases;
}

const exportNames = ['whole', 'filtered', 'sealed', 'ofSome', 'expired'] as const;
const databases = [
  {
    name: 'SQLite',
    url: () => Promise.resolve(`sqlite:${join(folder, 'ledger.db')}`),
    restoredUrl: () => Promise.resolve(`sqlite:${join(folder, 'restored.db')}`),
  },
  {
    name: 'PostgreSQL',
    url: () => postgres.createDatabase('audited'),
    restoredUrl: () => postgres.createDatabase('restored'),
  },
];

describe.each(databases)('an export of $name', ({ name, url, restoredUrl }) => {
  let whole = '';
  let filtered = '';
  let sealed = '';
  let ofSome = '';
  let expired = '';
  let data = '';
  let database = '';

  beforeAll(async () => {
    database = await url();
    await fillLedger(database);
    whole = await anExport(database);
    filtered = await anExport(database, { kind: ['ScalingEvent'] });
    data = join(folder, `data-${name}`);
    await sealLedger(database, data, join(data, 'notes'));
    sealed = await anExport(database);
    ofSome = await anExport(database, { namespace: ['shop'] });
    await expireLedger(database);
    expired = await anExport(database);
  });

  it('is proven by the key, to both verifiers, and by its own checkpoint kept elsewhere', async () => {
    const proven = { status: 'Proven', fault: null };
    const key = join(data, 'checkpoint-key.pub');
    const checkpoint = join(data, 'notes');
    for (const exported of [sealed, ofSome, expired]) {
      expect(await judge(exported, { key })).toEqual(proven);
      expect(await judge(exported, { checkpoint })).toEqual(proven);
      expect(await judge(exported)).toEqual({ status: 'Consistent', fault: null });
    }
    if (hasPython) expect(judgeInPython([sealed, ofSome, expired], key)).toEqual([proven, proven, proven]);
    const other = join(data, 'other.pub');
    await writeFile(other, publicKeyPem(parseSigningKey(generateSigningKey()).publicKey));
    const refused = { status: 'Broken', fault: { code: 'WrongSignature', stream: null, seq: null } };
    expect(await judge(sealed, { key: other })).toEqual(refused);
    if (hasPython) expect(judgeInPython([sealed], other)).toEqual([refused]);
  });

  it('says what has expired, and finds content that has not and is missing', async () => {
    const files = await read(expired);
    const lines = String(files.get('entries-000001.ndjson')).split('\n');
    expect(lines.filter((line) => line.startsWith('{"expired":')).length).toBeGreaterThan(2);
    expect(lines.filter((line) => line.includes('"payloadWithoutObservation":')).length).toBeGreaterThan(1);
    const manifest = JSON.parse(String(files.get('manifest.json'))) as { retention: { before: string }[] };
    const places: string[] = [];
    const changed = async (edit: Readonly<Record<string, unknown>>, without?: string): Promise<Judgement> => {
      const place = join(folder, `unexpired-${name}-${places.length}`);
      places.push(place);
      const edited = new Map(files).set(
        'manifest.json',
        Buffer.from(JSON.stringify({ ...manifest, ...edit })),
      );
      if (without !== undefined) edited.delete(without);
      await write(edited, place);
      return judge(place);
    };
    const found = [
      await changed({ retention: [] }),
      await changed({
        retention: manifest.retention.map((rule) => ({ ...rule, before: '2020-01-01T00:00:00Z' })),
      }),
      await changed({
        retention: [{ kind: 'Decision', content: 'Everything', before: '2030-01-01T00:00:00Z' }],
      }),
      await changed({}, 'checkpoint.note'),
    ];
    expect(found.map(({ status, fault }) => fault?.code ?? status)).toEqual([
      'ContentMissing',
      'ContentMissing',
      'Unusable',
      'SegmentUnsealed',
    ]);
    if (hasPython) expect(judgeInPython(places)).toEqual(found);
  });

  it('has a segment for every one that a retention recorded, and as it recorded them', async () => {
    const files = await read(expired);
    const own = { stream: adminStream, seq: '1' };
    const stream = /^\{"expired":.*"last":"[2-9]"\},"stream":"(policy:[^"]*)"\}$/m.exec(
      String(files.get('entries-000001.ndjson')),
    )?.[1];
    if (stream === undefined) throw new Error('no policy has a segment of several entries');
    const other = { stream, seq: '1' };
    const cases: readonly [RetentionEdit, Judgement['fault']][] = [
      [(segments) => segments, null],
      [of(stream, { hash: 'f'.repeat(64) }), { code: 'WrongSegment', ...other }],
      [of(stream, { last: '1' }), { code: 'SegmentUnrecorded', ...other }],
      [of(stream, { last: '1000000' }), { code: 'SegmentUnrecorded', ...other }],
      [of(stream, { last: 'x' }), { code: 'SegmentUnrecorded', ...other }],
      [of(adminStream, { hash: 'f'.repeat(64) }), { code: 'WrongSegment', ...own }],
      [of(adminStream, { last: '1000000' }), { code: 'SegmentUnrecorded', ...own }],
      [() => [], { code: 'SegmentUnrecorded', ...own }],
      [() => null, { code: 'SegmentUnrecorded', ...own }],
    ];
    const places: string[] = [];
    const found: Judgement[] = [];
    for (const [edit] of cases) {
      const place = join(folder, `recorded-${name}-${places.length}`);
      await write(withRetentionRun(files, edit), place);
      places.push(place);
      found.push(await judge(place));
    }
    const bare = join(folder, `recorded-${name}-bare`);
    await write(withBareRetentionRun(files), bare);
    places.push(bare);
    found.push(await judge(bare));
    expect(found).toEqual(
      [...cases, [null, { code: 'SegmentUnrecorded', ...own }] as const].map(([, fault]) => ({
        status: fault === null ? 'Consistent' : 'Broken',
        fault,
      })),
    );
    if (hasPython) expect(judgeInPython(places)).toEqual(found);
  });

  it('needs no record of a segment that the filter leaves out', async () => {
    const exported = await anExport(database, { kind: ['ScalingEvent'] });
    const consistent = { status: 'Consistent', fault: null };
    expect(String((await read(exported)).get('entries-000001.ndjson'))).toContain('{"expired":');
    expect(await judge(exported)).toEqual(consistent);
    if (hasPython) expect(judgeInPython([exported])).toEqual([consistent]);
  });

  it('is proven to both verifiers by the key before the one that signs, once that has followed it', async () => {
    const old = join(data, 'old.pub');
    await copyFile(join(data, 'checkpoint-key.pub'), old);
    const { terminal } = aTerminal();
    await makeNewKey({ dataFolder: data, keyFile: join(data, 'key.pem') }, terminal);
    await sealLedger(database, data, join(data, 'notes'));
    const exports = [await anExport(database), await anExport(database, { namespace: ['shop'] })];
    const proven = { status: 'Proven', fault: null };
    for (const key of [old, join(data, 'checkpoint-key.pub')]) {
      for (const exported of exports) expect(await judge(exported, { key })).toEqual(proven);
      if (hasPython) expect(judgeInPython(exports, key)).toEqual([proven, proven]);
    }
    for (const exported of exports) await rm(join(exported, 'rotations.ndjson'));
    const refused = { status: 'Broken', fault: { code: 'WrongSignature', stream: null, seq: null } };
    for (const exported of exports) expect(await judge(exported, { key: old })).toEqual(refused);
    if (hasPython) expect(judgeInPython(exports, old)).toEqual([refused, refused]);
  });

  it('is proven to both verifiers across what the restore of a backup has lost, which they name', async () => {
    const file = join(folder, `backup-${name}`);
    const madeAt = '2026-11-20T12:20:00.000Z';
    const nothing = (): void => undefined;
    await backUpDatabase({ url: database, file, madeAt, onRows: nothing });
    const notes = join(data, 'notes');
    const countOf = async (): Promise<number> =>
      (await readFile(notes, 'utf8')).match(/^checkpoint /gm)?.length ?? 0;
    const before = await countOf();
    await sealLedger(database, data, notes);
    const restored = await restoredUrl();
    await restoreDatabase({ url: restored, file, onRows: nothing });
    await sealLedger(restored, data, notes);
    expect(await countOf()).toBe(before + 6);
    const exported = await anExport(restored);
    const key = join(data, 'checkpoint-key.pub');
    const want = {
      status: 'Proven',
      gaps: [{ restored: String(before), number: String(before + 3), backup: madeAt }],
    };
    expect(await reportOf(exported, { key })).toMatchObject(want);
    expect(await reportOf(exported, { checkpoint: notes })).toMatchObject(want);
    if (hasPython) expect(reportsInPython([exported], key)).toMatchObject([want]);
  });

  it('is consistent, to both verifiers', async () => {
    const consistent = { status: 'Consistent', fault: null };
    expect(await judge(whole)).toEqual(consistent);
    expect(await judge(filtered)).toEqual(consistent);
    if (hasPython) expect(judgeInPython([whole, filtered])).toEqual([consistent, consistent]);
  });

  it.each(exportNames)(
    'has every edit found and named, and both verifiers agree: %s',
    async (which) => {
      const random = new Random(name.length * 7 + which.length);
      const cases = await editedCases({ whole, filtered, sealed, ofSome, expired }[which], random);
      for (const { edit, found } of cases) {
        // What is wrong with an edit of the manifest or the heads is nowhere in a stream, and some change nothing that is said.
        if (edit.expected === null) continue;
        const { status, fault } = found;
        // Of entries that have expired, it cannot be said which is wrong.
        if (which === 'expired') {
          expect({ edit: edit.description, status }).toEqual({ edit: edit.description, status: 'Broken' });
          continue;
        }
        expect({ edit: edit.description, status, at: `${fault?.stream}#${fault?.seq}` }).toEqual({
          edit: edit.description,
          status: 'Broken',
          at: edit.expected,
        });
      }
      if (hasPython) {
        const places = cases.map(({ place }) => place);
        const said: Judgement[] = [];
        for (let from = 0; from < places.length; from += foldersPerRun)
          said.push(...judgeInPython(places.slice(from, from + foldersPerRun)));
        const described = (judgements: readonly Judgement[]): readonly unknown[] =>
          judgements.map((judgement, index) => [cases[index]?.edit.description, judgement]);
        expect(described(said)).toEqual(described(cases.map(({ found }) => found)));
      }
      await rm(join(folder, 'edited'), { recursive: true, force: true });
    },
    600_000,
  );
});
