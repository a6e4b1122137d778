import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { flappingForm, listForms } from '../../apps/cli/src/forms/list-forms.ts';
import { createProgram } from '../../apps/cli/src/main.ts';

const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'cli.md'), 'utf8');

/** The calls in the table: `approve|reject SOURCE` is two. */
const documented = [...text.matchAll(/`plimsoll ([^`]+)`/g)].flatMap(([, span = '']) => {
  const [name = '', ...rest] = span.replaceAll(String.raw`\|`, '|').split(' ');
  return name.split('|').map((each) => [each, ...rest].join(' '));
});

/** Every command that ends in an action, by its path: `token create`. */
function actionsOf(command: Command, path = ''): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[path.trim(), command]];
  return command.commands.flatMap((each) => actionsOf(each, `${path} ${each.name()}`));
}

const all = actionsOf(createProgram());
/** Of the others, `import` has a context of kubectl. */
const asking = all.filter(
  ([path, { options }]) => path !== 'import' && options.some(({ long }) => long === '--context'),
);

/** What the text below the table says of several commands. */
const general = ['--context', '--output', '--reason', '--dry-run', '--confirm'];

/** A list, and the options that narrow it. */
type Narrowed = readonly [list: string, options: readonly string[]];

describe('docs/cli.md', () => {
  it('is about the commands that ask a controller', () => {
    expect(asking.map(([path]) => path)).toEqual(expect.arrayContaining(['get', 'why', 'token create']));
  });

  it.each(asking)('has %s with its operands and options', (path, { options, registeredArguments }) => {
    const calls = documented.filter((call) => call === path || call.startsWith(`${path} `));
    expect(calls.length).toBeGreaterThan(0);
    const longest = calls.map((call) => call.split(/ \[?--/)[0]?.split(' ').length ?? 0);
    expect(Math.max(...longest)).toBe(path.split(' ').length + registeredArguments.length);
    const named = calls.join(' ');
    const missing = options.map(({ long }) => long ?? '').filter((long) => !named.includes(long));
    expect(missing.filter((long) => !general.includes(long))).toEqual([]);
  });

  it('names no option that is none', () => {
    const known = new Set(all.flatMap(([, { options }]) => options.map(({ long }) => long)));
    const named = [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option);
    expect(named.filter((option) => !known.has(option) && option !== '--help')).toEqual([]);
  });

  it('agrees with the help of get, which has each list with what narrows it', () => {
    const help: string[] = [];
    const [, get] = asking.find(([path]) => path === 'get') ?? [];
    get?.configureOutput({ writeOut: (written) => void help.push(written) }).outputHelp();
    const [, ofLists = ''] = help.join('').split('The lists, and what narrows each:\n');
    const lists = [...ofLists.matchAll(/^ {2}(\S+) {2,}.*\n((?: {22}.*\n)*)/gm)];
    const narrowed = lists.map(([, name = '', how = '']): Narrowed => {
      const options = [...how.matchAll(/--(\w+)/g)].map(([, option = '']) => option);
      return [name, [...new Set(options)].filter((option) => option !== 'around').toSorted()];
    });
    const forms = Object.entries({ ...listForms, flapping: flappingForm });
    const taken = forms.map(([name, { filters }]): Narrowed => [name, filters.toSorted()]);
    expect(Object.fromEntries(narrowed)).toEqual(Object.fromEntries(taken));
  });

  it('has the exit statuses of the help', () => {
    const help: string[] = [];
    const [, get] = asking.find(([path]) => path === 'get') ?? [];
    get?.configureOutput({ writeOut: (written) => void help.push(written) }).outputHelp();
    const statuses = [...help.join('').matchAll(/^ {2}(\d) {2}/gm)].map(([, status = '']) => status);
    expect(statuses).toEqual(['0', '1', '2']);
    expect([...text.matchAll(/^\| (\d) \|/gm)].map(([, status = '']) => status)).toEqual(statuses);
  });
});
