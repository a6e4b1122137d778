import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const program = fileURLToPath(new URL('plimsoll-controller.js', import.meta.url));

it.each([
  { argument: '--help', unread: 'stdout', status: 0 },
  { argument: '--nonsense', unread: 'stderr', status: 2 },
] as const)('ends quietly where $unread has no reader: $argument', async ({ argument, unread, status }) => {
  const run = spawn(process.execPath, [program, argument], { stdio: ['ignore', 'pipe', 'pipe'] });
  run[unread].destroy();
  const other = unread === 'stdout' ? run.stderr : run.stdout;
  const printed = other.setEncoding('utf8').toArray();
  expect(await once(run, 'close')).toEqual([status, null]);
  expect((await printed).join('')).toBe('');
});

it.each([
  { args: ['--help'], status: 0, stdout: /^Usage: /, stderr: /^$/ },
  {
    args: ['--config', '/nonexistent.yaml'],
    status: 2,
    stdout: /^$/,
    stderr: /^plimsoll: .nonexistent.yaml: ENOENT/,
  },
  { args: ['--nonsense'], status: 2, stdout: /^$/, stderr: /^error: unknown option '--nonsense'/ },
])('prints nothing but what the controller prints: $args', ({ args, status, stdout, stderr }) => {
  const run = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  expect(run).toMatchObject({
    status,
    stdout: expect.stringMatching(stdout),
    stderr: expect.stringMatching(stderr),
  });
});
