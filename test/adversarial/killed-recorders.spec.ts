import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLedgerDatabase } from '#adapter-sql';
import { ChangeRecorder, recordedChanges } from '../support/change-recorder.ts';
import { Random } from '../support/random.ts';

const kills = Number(process.env['OUTAGE_KILLS'] ?? '6');

describe('a process that is killed at any moment of an outage', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-outage-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it(
    `loses nothing that it was told was kept, and records nothing twice, ${kills} times`,
    async () => {
      const random = new Random(20_261_122);
      let acknowledged = 0;
      let runs = 0;
      for (let killed = 0; killed < kills; runs += 1) {
        const child = startRecording(random.below(2 ** 31));
        const said = await killAfter(child, random.below(60));
        if (said !== null) killed += 1;
        acknowledged = Math.max(acknowledged, said ?? 0);
        expect(runs).toBeLessThan(kills * 20 + 100);
      }
      const url = `sqlite:${join(folder, 'ledger.db')}`;
      const last = await lastNumber(url);
      expect(last).toBeGreaterThanOrEqual(acknowledged);
      expect(await changesIn(url)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    },
    Math.max(120_000, kills * 10_000),
  );

  /** Of a change that is on record, once its journal is taken up. */
  async function lastNumber(url: string): Promise<number> {
    const recorder = await ChangeRecorder.open({ url, journal: join(folder, 'outage-journal') });
    try {
      return await recorder.lastNumber();
    } finally {
      await recorder.close();
    }
  }

  async function changesIn(url: string): Promise<readonly number[]> {
    const database = await openLedgerDatabase({ url });
    try {
      return await recordedChanges(database.ledger);
    } finally {
      await database.close();
    }
  }

  function startRecording(seed: number): ChildProcess {
    const program = fileURLToPath(
      new URL('../contract/ledger/processes/record-until-killed.ts', import.meta.url),
    );
    return spawn(process.execPath, ['--conditions=source', program, folder, String(seed)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  /** @returns the last number that was acknowledged; null: the process ended at its start */
  async function killAfter(child: ChildProcess, lines: number): Promise<number | null> {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.split('\n').length > lines + 1) child.kill('SIGKILL');
    });
    await once(child, 'close');
    if (child.exitCode !== null) {
      expect(child.exitCode).toBe(3);
      return null;
    }
    const numbers = text.split('\n').slice(0, -1).map(Number).filter(Number.isSafeInteger);
    return numbers.at(-1) ?? 0;
  }
});
