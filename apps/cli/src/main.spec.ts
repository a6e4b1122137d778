import { spawnSync, type StdioOptions } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from './main.ts';
import { runCli } from './testing/run-cli.fixture.ts';

/** More than a pipe holds, so that the reader is gone while there is still something to write. */
const badPolicies = 500;

it('ends quietly when its reader goes away', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-pipe-'));
  try {
    const document = '---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n';
    writeFileSync(join(folder, 'a.yaml'), document.repeat(badPolicies));
    const main = new URL('main.ts', import.meta.url).href;
    const script = `import('${main}').then(({ main }) => main(['node', 'plimsoll', 'validate', '.']))`;
    const command = `"$0" --conditions=source --input-type=module --eval "$1" | head -n 1`;
    const { stdout, stderr } = spawnSync('sh', ['-c', command, process.execPath, script], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/^a\.yaml:/);
    expect(stderr).toBe('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Each with nothing but the one of its two outputs that has room. */
it.each([
  {
    full: 'output',
    words: ['completion', 'bash'],
    says: /^plimsoll: the output cannot be written: no space is left/,
  },
  { full: 'messages', words: ['audit', 'verify', '/none'], says: /^$/ },
])('ends with 2, whatever it found, where there is no room for its $full', ({ full, words, says }) => {
  const main = new URL('main.ts', import.meta.url).href;
  const script = `import('${main}').then(({ main }) => main(['node', 'plimsoll', ...process.argv.slice(1)]))`;
  const args = ['--conditions=source', '--input-type=module', '--eval', script, '--', ...words];
  const device = openSync('/dev/full', 'w');
  const stdio = full === 'output' ? ['ignore', device, 'pipe'] : ['ignore', 'pipe', device];
  const ended = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: stdio as StdioOptions });
  closeSync(device);
  expect(ended.status).toBe(2);
  expect(full === 'output' ? ended.stderr : ended.stdout).toMatch(says);
});

it('takes choices in any case, also where several are given', () => {
  const valuesOf = (path: readonly string[], name: string, ...given: readonly string[]): unknown => {
    let command = createProgram();
    for (const word of path) command = command.commands.find((each) => each.name() === word) ?? command;
    command.parseOptions(given.flatMap((value) => [`--${name}`, value]));
    return command.getOptionValue(name);
  };
  expect(valuesOf(['suspend'], 'direction', 'down')).toBe('Down');
  expect(valuesOf(['get'], 'kind', 'operatoraction', 'POLICYCHANGE')).toEqual([
    'OperatorAction',
    'PolicyChange',
  ]);
  expect(valuesOf(['convert'], 'to', 'autoscalingpolicy')).toBe('AutoscalingPolicy');
  const [list] = createProgram().commands.find((each) => each.name() === 'get')?.registeredArguments ?? [];
  expect(list?.parseArg?.('Audit-Entries', '')).toBe('audit-entries');
});

it('has examples in the help of what asks a controller, which name commands and options that there are', () => {
  const program = createProgram();
  const commands = program.commands.flatMap((each) => (each.commands.length === 0 ? [each] : each.commands));
  const helps = new Map(
    commands.map((command) => [`${command.parent?.name()} ${command.name()}`, helpOf(command)]),
  );
  for (const name of ['plimsoll why', 'plimsoll suspend', 'dry-run on', 'token create'])
    expect([name, helps.get(name)]).toEqual([name, expect.stringMatching(/\nExamples:\n {2}plimsoll /)]);
  const shown = [...helps.values()].flatMap((help) =>
    [...help.replaceAll('\\\n', '').matchAll(/^ {2}plimsoll (\S.*)$/gm)].map(([, words = '']) => words),
  );
  expect(shown.filter((words) => !isUnderstood(program, words))).toEqual([]);
});

function helpOf(command: Command): string {
  const texts: string[] = [];
  command.configureOutput({ writeOut: (text) => void texts.push(text) }).outputHelp();
  return texts.join('');
}

/** Whether all that is typed names a command and options of it. */
function isUnderstood(program: Command, example: string): boolean {
  const words = example.split(/\s+/);
  const group = program.commands.find((each) => each.name() === words[0]);
  const command = group?.commands.find((each) => each.name() === words[1]) ?? group;
  const options = words.filter((word) => word.startsWith('--')).map((word) => word.replace(/=.*/, ''));
  return options.every((word) => command?.options.some(({ long }) => long === word)) && command !== undefined;
}

it('prints the help of a command of a group, however it is asked for', () => {
  const folder = tmpdir();
  const wanted = runCli(folder, ['audit', 'export', '--help']);
  expect(wanted.stdout).toContain('Usage: plimsoll audit export');
  expect(runCli(folder, ['help', 'audit', 'export'])).toEqual(wanted);
  expect(runCli(folder, ['audit', 'help', 'export'])).toEqual(wanted);
  const ofList = runCli(folder, ['get', '--help']);
  expect(ofList.stdout).toContain('Usage: plimsoll get');
  expect(runCli(folder, ['help', 'get', 'policies'])).toEqual(ofList);
});

it.each([
  { words: ['nope', '--help'], help: 'plimsoll' },
  { words: ['audit', 'nope', '-h'], help: 'plimsoll audit' },
])('has no help for $words, which is no command', ({ words, help }) => {
  expect(runCli(tmpdir(), words)).toMatchObject({
    status: 2,
    stdout: '',
    stderr: `plimsoll: unknown command 'nope'\n(${help} --help lists the commands and options)\n`,
  });
});

it('lists every command under what it is for, in one line of 80 columns', () => {
  const program = createProgram();
  const help = program.helpInformation();
  const lines = help.split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const listed = lines.flatMap((line) => /^ {2}([a-z-]+)(?: [<[]\S+)* {2,}\S/.exec(line)?.[1] ?? []);
  const names = [...program.commands.map((command) => command.name()), 'help'];
  expect(listed.toSorted()).toEqual(names.toSorted());
  expect(help).not.toContain('\nCommands:');
  const token = program.commands.find((command) => command.name() === 'token');
  expect(token?.helpInformation()).toContain('\nCommands:\n  create [options] <name>');
});

it('speaks of help in the same words in each group of commands', () => {
  const groups = createProgram().commands.filter(({ commands }) => commands.length > 0);
  expect(groups.map((group) => group.name())).toEqual(expect.arrayContaining(['audit', 'dry-run', 'token']));
  for (const group of groups) {
    const help = group.helpInformation();
    expect(help).not.toContain('display help');
    expect(help).toMatch(/ help \[command\] +Print the help of a command\.\n/);
  }
});
