import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { openLedgerDatabase } from '#adapter-sql';
import { LedgerWriter } from '#ledger';
import { takeFence } from '#ledger/testing';
import { anEventDraft, appended, timeAfter } from '../../../../test/support/ledger-builders.ts';

const program = pathToFileURL(join(import.meta.dirname, '..', 'main.ts')).href;
/** Looked at, because the system's own maximum of a process begins with what its parent, here a worker of Jest, held. */
const printPeak = `const { main } = await import('${program}');
  let peak = 0;
  const look = () => (peak = Math.max(peak, process.memoryUsage.rss()));
  setInterval(look, 5).unref();
  await main(process.argv);
  look();
  console.error('peak bytes', peak);`;
/** The ledger is larger. It takes some 230 MB. */
const maximumBytes = 400 * 1024 * 1024;
/** A busy machine collects what is read later than a quiet one, but for a heap that may not grow. */
const maximumHeapMegabytes = 128;

const run = promisify(execFile);

it('exports a ledger that is larger than the memory it takes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-export-'));
  try {
    const file = join(folder, 'ledger.db');
    await fill(`sqlite:${file}`);
    expect((await stat(file)).size).toBeGreaterThan(maximumBytes);
    const operands = ['audit', 'export', '--database', `sqlite:${file}`, '--output', join(folder, 'export')];
    const node = [
      '--conditions=source',
      `--max-old-space-size=${maximumHeapMegabytes}`,
      '--input-type=module',
      '--eval',
      printPeak,
      '--',
      'plimsoll',
      ...operands,
    ];
    const { stderr } = await run(process.execPath, node, { env: {} });
    expect(stderr).toContain('448 entries');
    const peak = Number(/peak bytes (\d+)/.exec(stderr)?.[1]);
    expect(peak).toBeLessThan(maximumBytes);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** 448 entries of a megabyte. */
async function fill(url: string): Promise<void> {
  const { ledger, fences, close } = await openLedgerDatabase({ url });
  try {
    const writer = new LedgerWriter({ port: ledger, fence: await takeFence(fences), cluster: 'test' });
    const reason = 'x'.repeat(1024 * 1024);
    for (let batch = 0; batch < 14; batch += 1) {
      const drafts = Array.from({ length: 32 }, (_, index) =>
        anEventDraft({ reason }, timeAfter(batch * 32 + index)),
      );
      appended(await writer.append({ drafts }));
    }
  } finally {
    await close();
  }
}
