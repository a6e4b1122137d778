import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  databaseTime,
  type LedgerDatabase,
  LedgerReader,
  openLedgerDatabase,
  SqlCheckpoints,
  SqlPartitions,
  SqlRetention,
} from '#adapter-sql';
import { configurationSchema } from '#configuration';
import {
  administrationScope,
  adminStream,
  emptyEnd,
  entryKinds,
  type EntryOf,
  exportedEntry,
  type Fence,
  HeldFences,
  LedgerWriter,
  parseExportedEntry,
  policyStream,
  sha256Hex,
  type StreamHead,
  verifyEnd,
  verifyNext,
} from '#ledger';
import { takeFence } from '#ledger/testing';
import {
  aDecisionDraft,
  aDecisionPayload,
  anEventDraft,
  anIntentDraft,
  appended,
  checkout,
  timeAfter,
} from '../../../../test/support/ledger-builders.ts';
import { migratedAhead } from '../../../../test/support/migrated-ahead.ts';
import { startPostgres, type TestPostgres } from '../../../../test/support/postgres.ts';
import { Random } from '../../../../test/support/random.ts';
import { deletesAnything } from '../configuration/deletes-anything.ts';
import { DeletionTime } from '../database/deletion-time.ts';
import { expiryRules, Retention } from './retention.ts';

const day = 86_400;
const stream = policyStream(checkout);
const expiringKinds = entryKinds.filter(
  (kind) => kind !== 'KeyRotation' && kind !== 'KeyLost' && kind !== 'LedgerGap',
);

let folder = '';
let postgres: TestPostgres;
let databases = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-retention-'));
  postgres = await startPostgres();
}, 60_000);

afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true });
});

function aConfiguration(retention: object) {
  return configurationSchema.parse({
    cluster: { name: 'test' },
    mode: 'Observe',
    namespaces: ['*'],
    sources: [{ name: 'policies', url: 'https://example.com/policies.git' }],
    retention,
  });
}

describe('expiryRules', () => {
  const now = timeAfter(100 * day);
  const rulesOf = (retention: object) => expiryRules(aConfiguration(retention), now);

  it('has none unless it is asked for any, and none under a legal hold', () => {
    expect(rulesOf({})).toEqual([]);
    expect(rulesOf({ payloadDays: 10, observationDays: 5, legalHold: true })).toEqual([]);
  });

  it('has one per kind, a kind of its own before the others, and observations first', () => {
    const beforeNanoseconds = BigInt(Date.parse(timeAfter(90 * day))) * 1_000_000n;
    const rules = rulesOf({ payloadDays: 10, kinds: { OperatorAction: 3_650 }, observationDays: 10 });
    expect(rules).toHaveLength(expiringKinds.length + 1);
    expect(rules[0]).toEqual({ kind: 'Decision', content: 'Observation', beforeNanoseconds });
    expect(rules[1]).toEqual({ kind: 'Decision', content: 'Payload', beforeNanoseconds });
    expect(rules.find(({ kind }) => kind === 'OperatorAction')?.beforeNanoseconds).toBeLessThan(
      0n + beforeNanoseconds,
    );
    expect(rulesOf({ kinds: { DecisionRun: 10 } })).toEqual([
      { kind: 'DecisionRun', content: 'Payload', beforeNanoseconds },
    ]);
  });

  it('is not empty for ever where anything is deleted', () => {
    const deletes = (retention: object) => deletesAnything(aConfiguration(retention));
    expect([{}, { legalHold: true }].map(deletes)).toEqual([false, false]);
    const some = [{ payloadDays: 9 }, { observationDays: 9, legalHold: true }, { kinds: { DecisionRun: 9 } }];
    expect(some.map(deletes)).toEqual([true, true, true]);
  });

  it('knows every kind of entry, and keeps which keys have signed', () => {
    const kinds = Object.fromEntries(expiringKinds.map((kind) => [kind, 10]));
    expect(rulesOf({ kinds }).map(({ kind }) => kind)).toEqual(expiringKinds);
    expect(rulesOf({ payloadDays: 10 }).map(({ kind }) => kind)).toEqual(expiringKinds);
  });
});

describe.each([
  {
    name: 'SQLite',
    url: () => Promise.resolve(`sqlite:${join(folder, `ledger-${(databases += 1)}.db`)}`),
  },
  { name: 'PostgreSQL', url: () => postgres.createDatabase(`retention_${(databases += 1)}`) },
])('retention on $name', ({ name, url }) => {
  let location = '';
  let database: LedgerDatabase;
  let fence: Fence;
  let writer: LedgerWriter;
  const warnings: unknown[] = [];

  beforeEach(async () => {
    location = await migratedAhead(await url());
    database = await openLedgerDatabase({ url: location, givesSpaceBack: true });
    fence = await takeFence(database.fences, { scope: administrationScope });
    writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'test' });
    warnings.length = 0;
  });

  afterEach(() => database.close());

  interface RunClocks {
    /** By so many days the clock is ahead in each run after the start; one run by default. */
    readonly jumps?: readonly number[];
    /** So many days after the first entry it is by the database's clock; null: it has none of its own. */
    readonly databaseDays?: number | null;
  }

  /** What is deleted so many days after the first entry. */
  async function run(
    retention: object,
    days: number,
    { jumps = [0], databaseDays = null }: RunClocks = {},
  ): Promise<Retention['failing']> {
    let due: (() => void) | undefined;
    let ahead = 0;
    let runs = 0;
    const passedSeconds = (): number => Math.max(0, runs - 1) * 6 * 3_600;
    const clock = {
      now: () => timeAfter((days + ahead) * day + passedSeconds()),
      monotonicMilliseconds: () => passedSeconds() * 1_000,
    };
    const databaseTimeThen = databaseDays === null ? null : Date.parse(timeAfter(databaseDays * day));
    const job = new Retention({
      configuration: aConfiguration(retention),
      port: new SqlRetention(database.sql),
      partitions: new SqlPartitions(database.sql),
      time: new DeletionTime({ clock, databaseTime: () => Promise.resolve(databaseTimeThen) }),
      writer,
      fences: new HeldFences([fence]),
      clock: {
        ...clock,
        schedule: (_, callback) => {
          due = callback;
          return () => undefined;
        },
      },
      logger: { info: () => undefined, warn: (fields: unknown) => void warnings.push(fields) },
    });
    job.start();
    for (ahead of jumps) {
      runs += 1;
      due?.();
      await job.whenDone;
    }
    await job.stop();
    return job.failing;
  }

  async function seal(): Promise<void> {
    const checkpoints = new SqlCheckpoints(database.sql);
    await checkpoints.seal(fence);
    await checkpoints.saveNote('note', fence);
  }

  async function decisions(): Promise<readonly EntryOf<'Decision'>[]> {
    const { items } = await database.ledger.entries({
      kinds: ['Decision'],
      order: 'OldestFirst',
      limit: 100,
    });
    return items.map(({ entry }) => entry).filter((entry) => entry.kind === 'Decision');
  }

  /** The content of what an export has of a stream, where it verifies. */
  async function exported(): Promise<{ readonly segment: bigint; readonly contents: readonly string[] }> {
    const reader = await LedgerReader.open(location);
    try {
      const [head] = await database.ledger.heads([stream]);
      const segment: StreamHead | null = await reader.segment(stream);
      let end = { ...emptyEnd(stream), ...(segment ?? {}) };
      const contents: string[] = [];
      for await (const entries of reader.entries({ head: head!, after: end.seq })) {
        for (const entry of entries) {
          const parsed = parseExportedEntry(exportedEntry(entry, 'Payload', sha256Hex));
          const next = verifyNext(end, parsed!, sha256Hex);
          if (!next.ok) throw new Error(next.error.message);
          end = next.value;
          contents.push(Object.keys(parsed!).find((key) => key.includes('ayload')) ?? '');
        }
      }
      expect(verifyEnd(end, head!).ok).toBe(true);
      return { segment: segment?.seq ?? 0n, contents };
    } finally {
      await reader.close();
    }
  }

  async function fill(): Promise<void> {
    appended(
      await writer.append({
        drafts: [
          aDecisionDraft(),
          anEventDraft({}, timeAfter(1)),
          aDecisionDraft({ time: timeAfter(3_600) }),
          aDecisionDraft({ time: timeAfter(50 * day) }),
          anEventDraft({}, timeAfter(51 * day)),
        ],
      }),
    );
    await seal();
  }

  it('deletes observations first: the decision is there, and its chain verifies', async () => {
    await fill();
    await run({ observationDays: 10 }, 20);
    const observations = (await decisions()).map(({ payload }) => payload.input.observation);
    expect(observations).toEqual([
      expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      aDecisionPayload({ time: timeAfter(50 * day) }).input.observation,
    ]);
    expect(await exported()).toEqual({
      segment: 0n,
      contents: ['hashedPayload', 'payloadText', 'hashedPayload', 'payloadText', 'payloadText'],
    });
  });

  it('deletes payloads by kind, then entries of which nothing is kept, below a checkpoint', async () => {
    await fill();
    await run({ kinds: { Decision: 10 } }, 20);
    expect(await exported()).toEqual({
      segment: 1n,
      contents: ['payloadText', 'payloadHash', 'payloadText', 'payloadText'],
    });
    expect(await decisions()).toHaveLength(1);
    expect(await database.ledger.entry({ stream, seq: 3n })).toBeNull();
    await run({ payloadDays: 10 }, 30);
    expect(await exported()).toEqual({ segment: 3n, contents: ['payloadText', 'payloadText'] });
    await run({ payloadDays: 10 }, 80);
    // The last entry stays, and what the checkpoint ends with.
    expect(await exported()).toEqual({ segment: 4n, contents: ['payloadHash'] });
    appended(await writer.append({ drafts: [aDecisionDraft({ time: timeAfter(81 * day) })] }));
    expect(await exported()).toEqual({ segment: 4n, contents: ['payloadHash', 'payloadText'] });
  });

  it('leaves nothing to be read of what was read before', async () => {
    await fill();
    const page = {
      kinds: ['Decision'],
      order: 'OldestFirst',
      limit: 2,
      isWithoutObservations: true,
    } as const;
    const read = async (): Promise<readonly string[]> =>
      (await database.ledger.entries(page)).items.map(({ entry }) => entry.time);
    const before = await read();
    expect(await read()).toEqual(before);
    await run({ payloadDays: 10 }, 30);
    const after = await read();
    expect([before.length, after]).toEqual([2, [timeAfter(50 * day)]]);
    const [summaries] = await database.ledger.decisionSummaries([{ order: 'OldestFirst', limit: 2 }]);
    expect(summaries?.items.map(({ entry }) => entry.time)).toEqual(after);
    const reading = { isWithoutObservations: true };
    expect(await database.ledger.entry({ stream, seq: 1n }, reading)).toBeNull();
    expect(await database.ledger.entry({ stream, seq: 4n }, reading)).toMatchObject({
      time: timeAfter(50 * day),
    });
  });

  it('records what it is about to delete by which rule, and what it has deleted', async () => {
    await fill();
    const { hash } = (await database.ledger.entry({ stream, seq: 3n }))!;
    await run({ payloadDays: 10 }, 30);
    const { items } = await database.ledger.entries({
      kinds: ['RetentionRun'],
      order: 'OldestFirst',
      limit: 10,
    });
    const runs = items.map(({ entry }) => (entry.kind === 'RetentionRun' ? entry.payload : null));
    expect(runs).toMatchObject([
      { segments: [], deleted: null },
      { segments: [{ stream, last: '3', hash }], deleted: null },
      { segments: [], deleted: { payloads: 3, observations: 0, entries: 3 } },
    ]);
    expect(runs[0]?.rules[0]).toEqual({ kind: 'Decision', content: 'Payload', before: timeAfter(20 * day) });
    const reader = await LedgerReader.open(location);
    expect(await reader.expiryRules()).toHaveLength(expiringKinds.length);
    const [segment, admin] = [
      (await reader.segment(stream))!,
      (await database.ledger.heads([adminStream]))[0]!,
    ];
    // An export whose heads were read before the deletion was announced has no record of it.
    await expect(reader.requireAnnounced(segment, admin.seq - 2n)).rejects.toThrow('export anew');
    await expect(reader.requireAnnounced(segment, admin.seq)).resolves.toBeUndefined();
    await reader.close();
  });

  it('announces again what stands before the record of it expires, and what has none that is known', async () => {
    await fill();
    const { hash } = (await database.ledger.entry({ stream, seq: 3n }))!;
    const records = async (): Promise<readonly unknown[]> => {
      const { items } = await database.ledger.entries({
        kinds: ['RetentionRun'],
        order: 'OldestFirst',
        limit: 100,
      });
      return items.flatMap(({ entry }) =>
        entry.kind === 'RetentionRun' ? entry.payload.segments.map((segment) => [entry.time, segment]) : [],
      );
    };
    const record = (days: number) => [timeAfter(days * day), { stream, last: '3', hash }];
    await run({ payloadDays: 10 }, 30);
    expect(await records()).toEqual([record(30)]);
    await run({ payloadDays: 10 }, 39);
    expect(await records()).toEqual([record(30)]);
    await run({ payloadDays: 10 }, 45);
    expect(await records()).toEqual([record(45)]);
    // As an earlier release left it: also where nothing is deleted any more.
    await database.sql.transaction([{ sql: 'UPDATE expired_segment SET announced_nanoseconds = NULL' }]);
    await run({}, 46);
    await run({}, 47);
    expect(await records()).toEqual([record(45), record(46)]);
  });

  it('deletes nothing by a clock that is ahead for one run, and goes by one that stays so', async () => {
    appended(await writer.append({ drafts: [aDecisionDraft()] }));
    const contents = async () => (await decisions()).map(({ payload }) => payload.input.observation);
    const before = await contents();
    await run({ observationDays: 10 }, 5, { jumps: [400, 0] });
    expect(await contents()).toEqual(before);
    expect(warnings).toEqual([{ time: timeAfter(405 * day) }]);
    await run({ observationDays: 10 }, 5, { jumps: [400, 400] });
    expect(await contents()).not.toEqual(before);
  });

  it("deletes nothing by a clock that is ahead of the database's from the start, and says so", async () => {
    appended(await writer.append({ drafts: [aDecisionDraft()] }));
    const contents = async () => (await decisions()).map(({ payload }) => payload.input.observation);
    const before = await contents();
    const message = `what has expired in the ledger cannot be deleted: it is ${timeAfter(405 * day)} here, and ${timeAfter(5 * day)} at the database: one of the clocks is wrong`;
    expect(await run({ observationDays: 10 }, 405, { databaseDays: 5 })).toMatchObject({ message });
    expect(await contents()).toEqual(before);
    expect(await run({ observationDays: 10 }, 405, { databaseDays: 405 - 1 / 25 })).toBeNull();
    expect(await contents()).not.toEqual(before);
  });

  it("knows the time of the database's server, where it has one", async () => {
    const time = await databaseTime(database.sql);
    expect(time === null ? null : Math.abs(time - Date.now()) < 3_600_000).toBe(
      name === 'SQLite' ? null : true,
    );
  });

  it('deletes nothing under a legal hold', async () => {
    await fill();
    await run({ payloadDays: 10, observationDays: 2, legalHold: true }, 100);
    expect((await exported()).contents).toEqual(Array.from({ length: 5 }, () => 'payloadText'));
    expect(await decisions()).toHaveLength(3);
  });

  it('keeps what a later decision is packed with until that goes, too', async () => {
    appended(
      await writer.append({
        drafts: [aDecisionDraft(), aDecisionDraft({ time: timeAfter(day - 60) }), anEventDraft()],
      }),
    );
    await run({ payloadDays: 10 }, 10.5);
    expect(await decisions()).toHaveLength(2);
    const sql = 'SELECT seq FROM ledger_entry WHERE summary_id IS NOT NULL';
    expect(await database.sql.query({ sql })).toHaveLength(2);
    await run({ payloadDays: 10 }, 12);
    expect(await decisions()).toHaveLength(0);
    expect(await database.sql.query({ sql })).toEqual([]);
    expect((await exported()).contents).toEqual(['payloadHash', 'payloadHash', 'payloadHash']);
  });

  it('keeps an intent without an outcome, and the last checkpoint', async () => {
    appended(await writer.append({ drafts: [aDecisionDraft(), anIntentDraft()] }));
    const payload = { number: '1', note: 'a note' };
    appended(
      await writer.append({
        drafts: [{ stream: 'admin', kind: 'Checkpoint', time: timeAfter(2), payload }],
      }),
    );
    await seal();
    await run({ payloadDays: 10 }, 100);
    expect((await exported()).contents).toEqual(['payloadText']);
    expect(await database.ledger.pendingIntents({ limit: 10 })).toHaveLength(1);
    expect(await database.ledger.newestEntry({ stream: 'admin', kind: 'Checkpoint' })).toMatchObject({
      payload,
    });
  });

  it('deletes no entry that no checkpoint covers', async () => {
    await fill();
    appended(await writer.append({ drafts: [anEventDraft({}, timeAfter(52 * day))] }));
    await database.sql.transaction([{ sql: 'UPDATE sealed_head SET seq = 2' }]);
    await run({ payloadDays: 10 }, 100);
    expect(await exported()).toMatchObject({ segment: 1n });
  });

  it('keeps content that does not give the hash of its entry, and names it', async () => {
    await fill();
    await database.sql.transaction([
      { sql: 'INSERT INTO retention_permit (id) VALUES (1)' },
      { sql: `UPDATE ledger_entry SET payload = replace(payload, '"to":', '"TO":') WHERE seq = 2` },
      { sql: 'DELETE FROM retention_permit' },
    ]);
    await run({ payloadDays: 10 }, 100);
    expect(warnings).toEqual([{ entries: [`${stream}#2`], count: 1 }]);
    expect(await database.ledger.entry({ stream, seq: 2n })).not.toBeNull();
  });

  it('keeps a payload that cannot be unpacked, names it, and deletes the others', async () => {
    await fill();
    await database.sql.transaction([
      { sql: 'INSERT INTO retention_permit (id) VALUES (1)' },
      { sql: 'UPDATE ledger_entry SET packed = ? WHERE seq = 3', parameters: [new Uint8Array([1, 2, 3])] },
      { sql: 'DELETE FROM retention_permit' },
    ]);
    await run({ payloadDays: 10 }, 100);
    expect(warnings).toEqual([{ entries: [`${stream}#3`], count: 1 }]);
    expect(await database.ledger.entry({ stream, seq: 4n })).toBeNull();
  });

  it.each([
    { name: 'deletes an entry', sql: 'DELETE FROM ledger_entry', want: 'never deleted' },
    { name: 'takes content away', sql: "UPDATE ledger_entry SET payload = ''", want: 'never changed' },
  ])('lets nothing else that $name', async ({ sql, want }) => {
    await fill();
    await expect(database.sql.transaction([{ sql }])).rejects.toThrow(want);
  });

  it('does not change what an entry is verified by', async () => {
    await fill();
    const permit = { sql: 'INSERT INTO retention_permit (id) VALUES (1)' };
    await expect(
      database.sql.transaction([permit, { sql: "UPDATE ledger_entry SET kind = 'SyncRun'" }]),
    ).rejects.toThrow('never changed');
  });

  if (name === 'SQLite') {
    it('gives the space back to the file system', async () => {
      const pages = async (): Promise<bigint> => {
        const [row] = await database.sql.query({
          sql: 'SELECT page_count, freelist_count FROM pragma_page_count, pragma_freelist_count',
        });
        expect(row?.['freelist_count']).toBe(0n);
        return row?.['page_count'] as bigint;
      };
      await fill();
      const before = await pages();
      const random = new Random(7);
      const long = Array.from({ length: 10_000 }, () => random.below(1e9).toString(36)).join('');
      appended(
        await writer.append({ drafts: [aDecisionDraft({ time: timeAfter(20 * day), reason: long })] }),
      );
      const filled = await pages();
      expect(filled).toBeGreaterThan(before + 10n);
      await run({ payloadDays: 10 }, 100);
      expect(await pages()).toBeLessThan(filled - 5n);
    });
  }

  it('stops when another process has taken over', async () => {
    await fill();
    fence = { ...fence, epoch: fence.epoch + 1n };
    await run({ payloadDays: 10 }, 100);
    expect(warnings).toMatchObject([{ reason: expect.stringContaining('taken') }]);
    expect(await decisions()).toHaveLength(3);
  });
});
