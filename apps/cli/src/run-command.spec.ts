import { afterEach, expect, it } from '@jest/globals';
import { runCommand } from './run-command.ts';
import { BrokenLedgerError, UnusableError } from './unusable-error.ts';

const { isTTY } = process.stdout;
const { env } = process;

afterEach(() => {
  process.stdout.isTTY = isTTY;
  process.env = env;
  process.exitCode = undefined;
});

it.each([
  { name: 'a terminal', isTerminal: true, environment: {}, want: true },
  { name: 'a terminal with NO_COLOR', isTerminal: true, environment: { NO_COLOR: '1' }, want: false },
  { name: 'a terminal with an empty NO_COLOR', isTerminal: true, environment: { NO_COLOR: '' }, want: true },
  { name: 'a file', isTerminal: false, environment: {}, want: false },
])('says whether $name has colours', async ({ isTerminal, environment, want }) => {
  process.stdout.isTTY = isTerminal;
  process.env = environment;
  let isColoured: boolean | undefined;
  await runCommand((terminal) => {
    ({ isColoured } = terminal);
    return 0;
  });
  expect(isColoured).toBe(want);
});

it.each([
  { error: new UnusableError('no such file'), want: 2 },
  { error: new BrokenLedgerError('it was changed'), want: 1 },
])('ends with $want after $error.name', async ({ error, want }) => {
  await runCommand(() => Promise.reject(error));
  expect(process.exitCode).toBe(want);
});
