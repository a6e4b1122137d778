import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLedgerDatabase } from '#adapter-sql';
import { type LostEntries, policyStream } from '#ledger';
import { ChangeRecorder, type Recorded, recordedChanges } from '../../support/change-recorder.ts';
import { checkout } from '../../support/ledger-builders.ts';
import { LoopbackLink } from '../../support/loopback-link.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import type { TestStandby } from '../../support/postgres-standby.ts';

let folder = '';
let server: TestPostgres;
let standby: TestStandby;
let address: LoopbackLink;
let url = '';
let recorder: ChangeRecorder;
let lost: LostEntries[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-failover-'));
  server = await startPostgres();
  address = await LoopbackLink.start(server.port);
  url = address.urlOf(await server.createDatabase('failover'));
  lost = [];
  recorder = await ChangeRecorder.open({
    url,
    journal: join(folder, 'outage-journal'),
    timeoutMilliseconds: 1_000,
    onLost: (each) => lost.push(each),
  });
  standby = await server.startStandby();
}, 120_000);

afterEach(async () => {
  await recorder.close();
  await address.close();
  await server.stop();
  await rm(folder, { recursive: true });
}, 60_000);

async function record(from: number, to: number): Promise<ReadonlySet<Recorded>> {
  const recorded = new Set<Recorded>();
  for (let number = from; number <= to; number += 1) recorded.add(await recorder.record(number));
  return recorded;
}

async function failOver(): Promise<void> {
  await standby.promote();
  address.leadTo(standby.port);
  for (let attempt = 0; recorder.journal.isInUse && attempt < 100; attempt += 1) await recorder.replay();
  expect(recorder.journal.isInUse).toBe(false);
}

async function changes(): Promise<readonly number[]> {
  const database = await openLedgerDatabase({ url });
  try {
    return await recordedChanges(database.ledger);
  } finally {
    await database.close();
  }
}

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('a PostgreSQL server whose standby takes over', () => {
  it('loses nothing that the standby has, and the journal keeps what is decided meanwhile', async () => {
    expect(await record(1, 20)).toEqual(new Set(['Stored']));
    await standby.hasAll();
    await server.crash();
    expect(await record(21, 40)).toEqual(new Set(['Journaled']));
    await failOver();
    expect(await record(41, 42)).toEqual(new Set(['Stored']));
    expect(await changes()).toEqual(numbers(1, 42));
    expect(lost).toEqual([]);
  }, 120_000);

  it('says once of a stream what the standby had not got, and the chain goes on from what there is', async () => {
    expect(await record(1, 5)).toEqual(new Set(['Stored']));
    await standby.hasAll();
    await standby.cutOff();
    expect(await record(6, 8)).toEqual(new Set(['Stored']));
    await server.crash();
    expect(await record(9, 10)).toEqual(new Set(['Journaled']));
    await failOver();
    expect(await record(11, 12)).toEqual(new Set(['Stored']));
    const stream = policyStream(checkout);
    expect(lost).toMatchObject([{ stored: { stream, seq: 8n }, found: { stream, seq: 5n } }]);
    expect(await changes()).toEqual([...numbers(1, 5), ...numbers(9, 12)]);
  }, 120_000);
});
