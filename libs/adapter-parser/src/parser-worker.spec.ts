import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { packBatch } from './batch-message.ts';

describe("a parser's thread", () => {
  it('is told nothing by the environment', async () => {
    // What the YAML library logs all tokens and events for.
    const env = { LOG_TOKENS: '1', LOG_STREAM: '1' };
    const worker = new Worker(new URL('./parser-worker.ts', import.meta.url), {
      env,
      stdout: true,
      execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'],
    });
    const written = text(worker.stdout);
    await once(worker, 'message');
    const bytes = Buffer.from('kind: AutoscalingPolicy\napiVersion: plimsoll.dev/v1alpha1\n');
    worker.postMessage(packBatch({ kind: 'Policies', files: [{ file: 'a.yaml', bytes }] }));
    await once(worker, 'message');
    await worker.terminate();
    expect(await written).toBe('');
  });
});
