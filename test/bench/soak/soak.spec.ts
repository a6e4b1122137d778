import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const main = join(import.meta.dirname, '..', 'main.ts');
/** Code that is compiled later, and caches that are not full yet. */
const slackBytes = 4 * 1024 * 1024;

interface Soaked {
  readonly startHeapBytes: number;
  readonly endHeapBytes: number;
  readonly startSeries: number;
  readonly endSeries: number;
  readonly scalings: number;
}

it('memory and series at the end of a simulated day are those of its morning', () => {
  const args = ['--expose-gc', main, 'soak', '--days', '1', '--json'];
  const printed = execFileSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const soaked = JSON.parse(printed) as Soaked;
  expect(soaked.scalings).toBeGreaterThan(10);
  expect(soaked.startSeries).toBeGreaterThan(0);
  expect(soaked.endSeries).toBe(soaked.startSeries);
  expect(soaked.endHeapBytes).toBeLessThan(soaked.startHeapBytes + slackBytes);
}, 300_000);
