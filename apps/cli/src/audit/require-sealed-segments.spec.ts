import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expireLedger, fillLedger, sealLedger } from '../../../../test/support/audited-ledger.ts';
import { verify } from '../testing/audit.fixture.ts';
import { aTerminal } from '../testing/run-cli.fixture.ts';
import { exportLedger } from './export-ledger.ts';

let folder = '';
const database = (): string => `sqlite:${join(folder, 'ledger.db')}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-segments-'));
  await fillLedger(database());
});

afterAll(() => rm(folder, { recursive: true }));

const seal = (): Promise<void> => sealLedger(database(), join(folder, 'data'), join(folder, 'notes'));

/** What a process leaves that ends right after it has written the heads. */
function interrupt(exported: string): void {
  const { streams, madeAt, filter, exportFormat } = JSON.parse(
    readFileSync(join(exported, 'manifest.json'), 'utf8'),
  ) as Record<string, unknown>;
  const progress = { exportFormat, madeAt, filter, streams, database: database(), files: [], last: null };
  writeFileSync(join(exported, 'progress.json'), JSON.stringify(progress));
  for (const name of readdirSync(exported))
    if (name.startsWith('entries-') || name === 'manifest.json') rmSync(join(exported, name));
}

describe('an export that goes on after retention', () => {
  it('has deleted entries only where its own checkpoint covers what follows them', async () => {
    await seal();
    const filters = [{ namespace: ['shop'] }, { policy: ['shop/checkout', 'billing/a-rather-long-name'] }];
    const begun = filters.map((filter, index) => ({ ...filter, output: join(folder, `begun-${index}`) }));
    for (const options of begun) {
      await exportLedger({ database: database(), ...options }, aTerminal());
      interrupt(options.output);
    }
    await expireLedger(database());
    for (const options of begun)
      await exportLedger({ database: database(), ...options, resume: true }, aTerminal());
    for (const { output } of begun) {
      expect(await verify(output)).toMatchObject({ status: 3 });
      interrupt(output);
    }
    await seal();
    await expireLedger(database(), 3_600);
    for (const options of begun) {
      await expect(
        exportLedger({ database: database(), ...options, resume: true }, aTerminal()),
      ).rejects.toMatchObject({
        name: 'UnusableError',
        message: expect.stringMatching(/^retention has deleted entries of policy:.* export again/),
      });
    }
  });
});
