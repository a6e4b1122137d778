import { expect } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { type LedgerDatabase, openLedgerDatabase, parseDatabaseUrl } from '#adapter-sql';
import { postgresDataSource, sqliteDataSource } from '#adapter-sql/testing';
import {
  adminStream,
  type ChainedEntry,
  chainEntries,
  type DecisionPayload,
  type EntryDraft,
  entryId,
  entryKinds,
  LedgerWriter,
  policyStream,
  sha256Hex,
  verifyStream,
} from '#ledger';
import { takeFence } from '#ledger/testing';
import { migrations } from '../../../migrations/index.ts';
import {
  aDecisionDraft,
  anActionDraft,
  anEventDraft,
  anIntentDraft,
  appended,
  chainedInFormat1,
  checkout,
  timeAfter,
} from '../../support/ledger-builders.ts';

/** A database whose schema is at any of its versions. */
export interface UpgradedDatabase {
  /** How `openLedgerDatabase` names it. */
  readonly url: string;
  /** A new connection, with all migrations. */
  readonly source: () => DataSource;
}

/** The database of that URL. */
export function upgradedDatabase(url: string): UpgradedDatabase {
  const location = parseDatabaseUrl(url);
  return {
    url,
    source: () =>
      location.dialect === 'sqlite' ? sqliteDataSource(location.file) : postgresDataSource(location.postgres),
  };
}

/** Every schema that data may come from: the number of its migrations and the name of the last. */
export const earlierSchemas: readonly { readonly count: number; readonly name: string }[] = migrations
  .slice(0, -1)
  .map((Migration, index) => ({ count: index + 1, name: new Migration().name ?? Migration.name }));

function isFormatMigration(name: string | undefined): boolean {
  return name?.startsWith('AddEntryFormat') ?? false;
}

/** The number of migrations before the one that gives operators' actions what they concern, where no release before has. */
const actionMigration = migrations.findIndex((Migration) =>
  Migration.name.startsWith('NameActionsOfEarlierReleases'),
);

/** The number of migrations before the one of format 2. */
const formatMigration = migrations.findIndex((Migration) => isFormatMigration(new Migration().name));

const stream = policyStream(checkout);
const drafts = [
  aDecisionDraft(),
  anEventDraft({ origin: 'External', to: 5 }),
  aDecisionDraft({ time: timeAfter(2), reason: 'größer \u2028 "als"' }),
  anIntentDraft({}, timeAfter(3)),
];
const commitOfDrafts = (drafts[0]!.payload as DecisionPayload).commit!.hash;
const entries = chainedInFormat1(drafts);
/** Of the newest format, for the schemas that have it. */
const newestEntries = chained(drafts);

function chained(given: readonly EntryDraft[]): readonly ChainedEntry[] {
  const result = chainEntries({ cluster: 'test', heads: new Map(), drafts: given });
  if (!result.ok) throw new Error(result.error.message);
  return result.value.entries;
}

/** Makes a database of an earlier schema with data in every table. @returns its entries */
export async function fillEarlierSchema(
  database: UpgradedDatabase,
  migrationCount: number,
): Promise<readonly ChainedEntry[]> {
  const held = migrationCount > formatMigration ? newestEntries : entries;
  await using(database, async (source) => {
    source.setOptions({ migrations: migrations.slice(0, migrationCount) });
    await source.initialize();
    await source.runMigrations();
    const isNamed = await hasTable(source, 'entry_name');
    if (isNamed) await insert(source, 'entry_name', { kind: 'Commit', name: commitOfDrafts });
    for (const [table, row] of rowsOf(held, isNamed ? { commit_id: 1 } : {}))
      if (await hasTable(source, table)) await insert(source, table, row);
    if (migrationCount <= actionMigration)
      for (const [table, row] of actionRows(held[0]!.format)) await insert(source, table, row);
  });
  return held;
}

/** Fills a database of an earlier schema, upgrades it, and appends to it. */
export async function expectUpgrade(database: UpgradedDatabase, migrationCount: number): Promise<void> {
  const formats = (await fillEarlierSchema(database, migrationCount)).map(({ format }) => format);
  const opened = await openLedgerDatabase({ url: database.url });
  try {
    await expectStream(opened, formats);
    const states = await opened.ledger.policyStates(await opened.ledger.recordedPolicies({ limit: 10 }));
    expect(states).toHaveLength(migrationCount > 1 ? 1 : 0);
    const writer = new LedgerWriter({
      port: opened.ledger,
      fence: await takeFence(opened.fences),
      cluster: 'test',
    });
    const [intent] = await opened.ledger.pendingIntents({ limit: 10 });
    appended(
      await writer.append({ drafts: [anEventDraft({ intent: entryId(intent!) }, timeAfter(4)), ...drafts] }),
    );
    await expectStream(opened, [...formats, 2, 2, 2, 2, 2]);
    await expectFoundByName(opened, {
      entries: formats.length + 5,
      // Releases after that give actions these themselves.
      ofAction: migrationCount <= actionMigration ? 1 : 0,
    });
  } finally {
    await opened.close();
  }
}

/** Lists find the entries of before the upgrade, as the later ones, by what stands beside them since. */
async function expectFoundByName(
  { ledger }: LedgerDatabase,
  count: { readonly entries: number; readonly ofAction: number },
): Promise<void> {
  const page = { kinds: entryKinds, order: 'OldestFirst', limit: 100 } as const;
  const ofNamespace = await ledger.entries({ ...page, namespaces: [checkout.namespace] });
  expect(ofNamespace.items).toHaveLength(count.entries + count.ofAction);
  const ofPolicy = await ledger.entries({ ...page, policy: checkout });
  expect(ofPolicy.items).toHaveLength(count.entries + count.ofAction);
  const ofScopes = await ledger.entries({ ...page, policy: checkout, scopes: ['Cluster'] });
  expect(ofScopes.items).toHaveLength(count.entries + 2 * count.ofAction);
  const ofCommit = await ledger.entries({ ...page, commit: commitOfDrafts });
  expect(ofCommit.items).toHaveLength(count.entries);
}

/** The upgrade to format 2 is reversible until the first entry of that format, and no release before it appends after it. */
export async function expectNoWayBackFromFormat2(database: UpgradedDatabase): Promise<void> {
  const down = (): Promise<void> =>
    using(database, async (source) => {
      await source.initialize();
      const applied = async (): Promise<readonly { readonly name: string }[]> =>
        source.query('SELECT name FROM migration');
      while ((await applied()).some(({ name }) => isFormatMigration(name))) await source.undoLastMigration();
    });
  await expectUpgrade(database, formatMigration);
  await expect(down()).rejects.toThrow('entries of format 2');
  await using(database, async (source) => {
    await source.initialize();
    await source.query('DELETE FROM ledger_entry WHERE format = 2');
  });
  await down();
  await using(database, async (source) => {
    await source.initialize();
    const [, row] = rowsOf(entries).find(([table]) => table === 'ledger_entry')!;
    await insert(source, 'ledger_entry', { ...row, seq: 99 });
    await source.query('DELETE FROM ledger_entry WHERE seq = 99');
    await source.runMigrations();
    await expect(insert(source, 'ledger_entry', { ...row, seq: 99 })).rejects.toThrow('entries of format 2');
  });
}

/** The way back from compressed payloads gives each of them as the text that it was. */
export async function expectPayloadsAsText(database: UpgradedDatabase): Promise<void> {
  const opened = await openLedgerDatabase({ url: database.url });
  const { ledger: port, fences } = opened;
  const writer = new LedgerWriter({ port, fence: await takeFence(fences), cluster: 'test' });
  const written = appended(await writer.append({ drafts }));
  appended(await writer.append({ drafts: [aDecisionDraft({ time: timeAfter(5) })] }));
  await opened.close();
  await using(database, async (source) => {
    await source.initialize();
    for (const { name } of source.migrations.toReversed()) {
      await source.undoLastMigration();
      if (name?.startsWith('PackPayloads') ?? false) break;
    }
    const rows: readonly { readonly payload: string }[] = await source.query(
      'SELECT payload FROM ledger_entry ORDER BY position',
    );
    expect(rows.slice(0, written.length).map(({ payload }) => payload)).toEqual(
      written.map(({ payloadText }) => payloadText),
    );
    await expect(source.query("UPDATE ledger_entry SET payload = ''")).rejects.toThrow('never changed');
  });
  const again = await openLedgerDatabase({ url: database.url });
  try {
    await expectStream(again, [2, 2, 2, 2, 2]);
  } finally {
    await again.close();
  }
}

async function expectStream({ ledger }: LedgerDatabase, formats: readonly number[]): Promise<void> {
  const stored = await ledger.streamEntries({ stream, after: 0n, limit: 100 });
  expect(stored.map(({ format }) => format)).toEqual(formats);
  const before = stored.slice(0, entries.length);
  expect(before.map(({ payload }) => payload)).toEqual(entries.map(payloadOf));
  const [head] = await ledger.heads([stream]);
  expect(verifyStream(stored, head!, sha256Hex)).toEqual({ ok: true, value: head });
}

function payloadOf({ payloadText }: ChainedEntry): unknown {
  return JSON.parse(payloadText);
}

async function using(database: UpgradedDatabase, use: (source: DataSource) => Promise<void>): Promise<void> {
  const source = database.source();
  try {
    await use(source);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}

type Row = Readonly<Record<string, string | number | bigint | null>>;

/** What operators did to the namespace, and to the cluster. */
function actionRows(format: number): readonly (readonly [string, Row])[] {
  const given = [{ policy: `${checkout.namespace}/${checkout.name}` }, { scope: 'Cluster' }];
  const actions = given.map((each) => anActionDraft('ada', timeAfter(0), each));
  const chain = format === 1 ? chainedInFormat1(actions) : chained(actions);
  const [, ...rows] = rowsOf(chain).filter(([table]) => table === 'ledger_entry' || table === 'stream_head');
  const head = { stream: adminStream, seq: chain.length, hash: chain.at(-1)!.hash };
  return [['stream_head', head], ...rows.map(([table, row]) => [table, { ...row, stream_id: 2 }] as const)];
}

/**
 * What a database of the first schema may hold, by table. Later schemas have defaults for what they add, but for the
 * columns of `named`, which their releases fill.
 */
function rowsOf(held: readonly ChainedEntry[], named: Row = {}): readonly (readonly [string, Row])[] {
  return [
    ['stream_head', { stream, seq: held.length, hash: held.at(-1)!.hash }],
    ...held.map((entry): [string, Row] => [
      'ledger_entry',
      {
        stream_id: 1,
        seq: entry.seq,
        cluster: entry.cluster,
        kind: entry.kind,
        time: entry.time,
        time_nanoseconds: entry.timeNanoseconds,
        action: entry.action,
        payload: entry.payloadText,
        previous_hash: entry.previousHash,
        hash: entry.hash,
        // The schemas before have no such column.
        ...(entry.format === 1 ? {} : { format: entry.format }),
        ...named,
      },
    ]),
    ['sealed_head', { stream, seq: held.length, hash: held.at(-1)!.hash }],
    ['ledger_epoch', { scope: 'shard/0', epoch: 3 }],
    ['pending_intent', { stream, seq: held.length }],
    ['policy_state', { stream, memory: '{}', updated_at: timeAfter(3) }],
    ['sync_source', { source: 'policies', state: '{}' }],
    ['revision', { source: 'policies', commit_hash: 'c', finished_at: timeAfter(0), record: '{}' }],
    [
      'policy_version',
      {
        source: 'policies',
        role: 'Policy',
        tenant: '',
        namespace: checkout.namespace,
        name: checkout.name,
        valid_from: timeAfter(0),
        record: '{"file":"checkout.yaml"}',
      },
    ],
    ['commit_approval', { commit_hash: 'c', verified: 1, record: '{}' }],
  ];
}

async function hasTable(source: DataSource, table: string): Promise<boolean> {
  const runner = source.createQueryRunner();
  try {
    return await runner.hasTable(table);
  } finally {
    await runner.release();
  }
}

async function insert(source: DataSource, table: string, row: Row): Promise<void> {
  const values = Object.values(row).map((value) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value),
  );
  await source.query(`INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')})`);
}
