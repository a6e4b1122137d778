import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const program = fileURLToPath(new URL('plimsoll-controller.js', import.meta.url));

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
