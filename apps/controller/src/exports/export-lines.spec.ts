import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerReader } from '#adapter-sql';
import { adminStream } from '#ledger';
import { expireLedger, fillLedger, sealLedger } from '../../../../test/support/audited-ledger.ts';
import { exportLines, type ExportRequest } from './export-lines.ts';

const filter = { from: null, until: null, namespaces: null, policies: null, kinds: null };
let folder = '';
let reader: LedgerReader;
/** The end of the stream `admin` before anything was deleted. */
let admin = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-export-lines-'));
  const url = `sqlite:${join(folder, 'ledger.db')}`;
  await fillLedger(url);
  await sealLedger(url, join(folder, 'data'), join(folder, 'notes'));
  reader = await LedgerReader.open(url);
  for await (const heads of reader.heads())
    admin = String(heads.find(({ stream }) => stream === adminStream)?.seq ?? admin);
  await expireLedger(url);
});

afterAll(async () => {
  await reader.close();
  await rm(folder, { recursive: true });
});

async function lastLine(after: ExportRequest['after']): Promise<unknown> {
  let text = '';
  for await (const portion of exportLines(reader, { filter, after })) text += portion;
  return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
}

describe('an export that goes on after a retention', () => {
  it('fails where it would have no record of what was deleted', async () => {
    expect(await lastLine({ stream: adminStream, seq: admin, admin })).toEqual({
      failed: expect.stringMatching(/^retention has deleted entries of \S+ meanwhile: export anew$/),
    });
  });

  it('ends where it has the record', async () => {
    const later = String(BigInt(admin) + 1n);
    expect(await lastLine({ stream: adminStream, seq: later, admin: later })).toEqual({ end: true });
  });
});
