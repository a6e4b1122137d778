import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { stringify } from 'yaml';
import type { ControllerProcess } from './support/controller-process.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

const invalid = 'the changed configuration is invalid; the one before it stays';
const dropped = 'lines of the log were dropped, which its reader did not take';

describe('a log whose reader stands still', () => {
  let world: ShopWorld;
  let running: ControllerProcess;
  let changes = 0;

  beforeEach(async () => {
    changes = 0;
    world = await startShopWorld();
    world.repository.commit('Add policy', { 'shop/checkout.yaml': policyText });
    running = await world.startController();
  });
  afterEach(() => world.stop());

  const metric = async (name: string): Promise<number> => {
    const { metricsUrl } = running.log.find(({ metricsUrl }) => typeof metricsUrl === 'string') as {
      readonly metricsUrl: string;
    };
    const lines = (await (await fetch(metricsUrl)).text()).split('\n');
    const values = lines
      .filter((line) => line.startsWith(name))
      .map((line) => Number(line.split(' ').at(-1)));
    return values.reduce((sum, value) => sum + value, 0);
  };

  const untilMore = (name: string, than: number): Promise<number> =>
    soon(`${name} above ${than}`, async () => {
      const value = await metric(name);
      return value > than ? value : undefined;
    });

  /** Makes it log a line of a megabyte. */
  async function logMuch(): Promise<void> {
    const before = changes;
    changes += 1;
    const file = join(world.folder, 'plimsoll.yaml');
    const keys = Array.from({ length: 20 }, (_, index) => [`${'x'.repeat(50_000)}${changes}-${index}`, 1]);
    await writeFile(`${file}.next`, stringify(Object.fromEntries(keys)));
    await rename(`${file}.next`, file);
    process.kill(running.pid, 'SIGHUP');
    await untilMore('plimsoll_configuration_reloads_total{', before);
  }

  async function logUntilDropped(): Promise<void> {
    while ((await metric('plimsoll_log_lines_dropped_total')) === 0) {
      // 8 MiB wait in memory, and the rest in the pipe.
      expect(changes).toBeLessThan(16);
      await logMuch();
    }
  }

  it('stops nothing, and is told how many lines it has missed', async () => {
    running.readOutput(false);
    await logUntilDropped();
    const passes = await metric('plimsoll_reconciliations_total');
    await untilMore('plimsoll_reconciliations_total', passes + 1);
    const missed = await metric('plimsoll_log_lines_dropped_total');

    running.readOutput(true);
    const told = await soon(dropped, () => running.log.find(({ msg }) => msg === dropped));
    expect(told).toMatchObject({ level: 40, cluster: 'e2e' });
    expect(told['lines']).toBeGreaterThanOrEqual(missed);
    expect(running.rest).toEqual([]);
    await expect(running.stop()).resolves.toBe(0);
    expect(running.log.at(-1)?.['msg']).toBe('ended');
  });

  it('does not keep the process from its end, and gets all that waits where it reads on', async () => {
    running.readOutput(false);
    for (let count = 0; count < 4; count += 1) await logMuch();
    const ended = running.stop();
    running.readOutput(true);
    await expect(ended).resolves.toBe(0);
    await running.whenAllEnded();
    expect(running.log.filter(({ msg }) => msg === invalid)).toHaveLength(4);
    expect(running.log.at(-1)?.['msg']).toBe('ended');
  });

  it('does not keep the process from its end where it never reads again', async () => {
    running.readOutput(false);
    await logUntilDropped();
    await expect(running.stop()).resolves.toBe(0);
  });
});

it.each([
  { name: 'is left to end', end: '', want: 0 },
  { name: 'exits', end: 'process.exit(3)', want: 3 },
  { name: 'fails with an exception that nothing catches', end: 'throw new Error("a bug")', want: 1 },
])('has a whole log when it $name, in JSON and as text', async ({ end, want }) => {
  for (const format of ['json', 'text']) {
    const module = join(import.meta.dirname, '../../dist/apps/controller/src/logging/create-log.js');
    const code = `
      const { createLog } = await import(${JSON.stringify(module)});
      const { logger } = createLog({ level: 'info', format: '${format}' }, 'e2e');
      for (let line = 1; line <= 5000; line += 1) logger.info({ line, filler: 'x'.repeat(100) }, 'said');
      ${end}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(child.exitCode).toBe(want);
    expect(said.split('\n').filter((line) => line.includes('said'))).toHaveLength(5_000);
  }
});
