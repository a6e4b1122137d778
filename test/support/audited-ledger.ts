import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type LedgerDatabase,
  openLedgerDatabase,
  SqlCheckpoints,
  SqlRetention,
  type SqlStatement,
} from '#adapter-sql';
import { configurationSchema } from '#configuration';
import {
  administrationScope,
  adminStream,
  type EntryDraft,
  entryKinds,
  type ExpiryRule,
  generateSigningKey,
  HeldFences,
  LedgerWriter,
  policyStream,
  syncStream,
} from '#ledger';
import { takeFence } from '#ledger/testing';
import { CheckpointPublisher } from '../../apps/controller/src/checkpoints/checkpoint-publisher.ts';
import { Checkpointer } from '../../apps/controller/src/checkpoints/checkpointer.ts';
import { FileSink } from '../../apps/controller/src/checkpoints/file-sink.ts';
import {
  aDecisionDraft,
  anEventDraft,
  appended,
  chainedInFormat1,
  checkout,
  timeAfter,
} from './ledger-builders.ts';
import { migratedAhead } from './migrated-ahead.ts';

/** A policy whose stream begins in format 1. */
const upgraded = { namespace: 'shop', name: 'upgraded' };
const longName = { namespace: 'billing', name: 'a-rather-long-name' };

/** Fills a database with a little of everything that an export may hold: 4 policies, syncs, and the administration. */
export async function fillLedger(url: string): Promise<void> {
  const database = await openLedgerDatabase({ url: await migratedAhead(url) });
  try {
    await storeInFormat1(database);
    const writer = new LedgerWriter({
      port: database.ledger,
      fence: await takeFence(database.fences),
      cluster: 'größer "als" \u2028 sonst',
    });
    for (let round = 0; round < 3; round += 1) appended(await writer.append({ drafts: draftsOf(round) }));
  } finally {
    await database.close();
  }
}

function draftsOf(round: number): readonly EntryDraft[] {
  const time = timeAfter(60 * round);
  return [
    aDecisionDraft({ time, reason: `round ${round}, \u0000 "größer" \ud800 \ud83d\ude80` }),
    anEventDraft({ to: round }, time),
    anEventDraft({ policy: upgraded, to: round }, time),
    aDecisionDraft({ policy: upgraded, time }),
    aDecisionDraft({ policy: { namespace: 'shop', name: 'cart' }, time, desiredReplicas: 1e21 }),
    anEventDraft({ policy: longName, from: -0, to: 1.5e-7 }, time),
    { stream: adminStream, kind: 'SettingsChange', time, payload: { before: null, after: { round } } },
    {
      stream: syncStream,
      kind: 'SyncRun',
      time,
      payload: { source: 'policies', outcome: 'active', message: '', commit: null, diagnostics: [] },
    },
    {
      stream: syncStream,
      kind: 'CommitReview',
      time,
      payload: {
        source: 'policies',
        commit: { hash: 'c'.repeat(40), author: 'Alex <alex@example.com>', subject: 'Raise (#12)', time },
        pullRequest: { number: 12, author: 'alex', approvers: ['ada'] },
      },
    },
  ];
}

/** What a database of an earlier release held when it was upgraded. */
async function storeInFormat1({ sql }: LedgerDatabase): Promise<void> {
  const drafts = [
    anEventDraft({ policy: upgraded, to: 1 }, timeAfter(-60)),
    aDecisionDraft({ policy: upgraded, time: timeAfter(-30) }),
  ];
  const entries = chainedInFormat1(drafts);
  const columns =
    'stream_id, seq, cluster, kind, time, time_nanoseconds, payload, previous_hash, hash, commit_id';
  const statements: SqlStatement[] = [
    {
      sql:
        sql.dialect === 'sqlite'
          ? 'DROP TRIGGER ledger_entry_format'
          : 'DROP TRIGGER ledger_entry_format ON ledger_entry',
    },
    {
      sql: 'INSERT INTO stream_head (stream, seq, hash) VALUES (?, ?, ?)',
      parameters: [policyStream(upgraded), BigInt(entries.length), entries.at(-1)?.hash ?? ''],
    },
    {
      sql: "INSERT INTO entry_name (kind, name) VALUES ('Commit', ?)",
      parameters: [entries[0]?.commit ?? ''],
    },
    ...entries.map((entry) => ({
      sql: `INSERT INTO ledger_entry (${columns}) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?,
        (SELECT id FROM entry_name WHERE kind = 'Commit' AND name = ?))`,
      parameters: [
        entry.seq,
        entry.cluster,
        entry.kind,
        entry.time,
        entry.timeNanoseconds,
        entry.payloadText,
        entry.previousHash,
        entry.hash,
        entry.commit,
      ],
    })),
  ];
  const stored = await sql.transaction(statements);
  if (!stored.ok) throw new Error(stored.error.code);
}

/** The stream that {@link fillLedger} fills most. */
export const checkoutStream = policyStream(checkout);

/** Signs checkpoints over a database, each after some more entries; the last entries stay unsealed. */
export async function sealLedger(url: string, dataFolder: string, outputFile: string): Promise<void> {
  const keyFile = join(dataFolder, 'key.pem');
  await mkdir(dataFolder, { recursive: true });
  if (!existsSync(keyFile)) await writeFile(keyFile, generateSigningKey());
  const database = await openLedgerDatabase({ url: await migratedAhead(url) });
  try {
    const fence = await takeFence(database.fences, { scope: administrationScope });
    const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'test' });
    for (let round = 0; round < 3; round += 1) {
      const clock = { now: () => timeAfter(600 + round), schedule: () => () => undefined };
      const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
      const publisher = new CheckpointPublisher({ sinks: [new FileSink(outputFile)], clock, logger });
      const checkpointer = new Checkpointer({
        configuration: configurationSchema.parse({
          cluster: { name: 'test' },
          mode: 'Observe',
          namespaces: ['*'],
          sources: [{ name: 'policies', url: 'https://example.com/policies.git' }],
          dataFolder,
          database: { url },
          checkpoints: { keyFile },
        }),
        port: new SqlCheckpoints(database.sql),
        ledger: database.ledger,
        writer,
        fences: new HeldFences([fence]),
        publisher,
        clock,
        logger,
      });
      await checkpointer.start();
      await checkpointer.stop();
      appended(await writer.append({ drafts: draftsOf(10 + round) }));
    }
    await database.fences.giveUp([fence]);
  } finally {
    await database.close();
  }
}

/** Deletes from a database what a retention deletes: observations of the second round, and everything before it or another second. */
export async function expireLedger(url: string, seconds = 30): Promise<void> {
  const database = await openLedgerDatabase({ url });
  try {
    const fence = await takeFence(database.fences, { scope: administrationScope });
    const port = new SqlRetention(database.sql);
    const before = (seconds: number): bigint => BigInt(Date.parse(timeAfter(seconds))) * 1_000_000n;
    const rules: readonly ExpiryRule[] = [
      { kind: 'Decision', content: 'Observation', beforeNanoseconds: before(90) },
      ...entryKinds.map(
        (kind) => ({ kind, content: 'Payload', beforeNanoseconds: before(seconds) }) as const,
      ),
    ];
    await port.saveRules(rules, fence);
    for (const rule of rules) await port.deleteContent(rule, null, fence);
    const { segments } = await port.findSegments(rules, '');
    const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'test' });
    const payload = {
      rules: [],
      segments: segments.map(({ stream, seq, hash }) => ({ stream, last: String(seq), hash })),
      deleted: null,
    };
    const announced = { stream: adminStream, kind: 'RetentionRun', time: timeAfter(700), payload } as const;
    appended(await writer.append({ drafts: [announced] }));
    await port.deleteSegments(segments, before(700), fence);
  } finally {
    await database.close();
  }
}
