import { tmpdir } from 'node:os';
import { expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { GitRunner } from './git-runner.ts';

it('leaves no timer behind where it refuses a command: the process would live until it fires', async () => {
  const closed = new AdapterError({ code: 'Closed', message: 'the process is ending', retryable: true });
  const runner = new GitRunner(tmpdir(), '/nonexistent', AbortSignal.abort(closed));
  const before = timers();
  await expect(runner.text({ what: 'look', args: ['version'] })).rejects.toBe(closed);
  expect(timers()).toBe(before);
});

function timers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
