import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { createProgram } from '../main.ts';
import { completionScript } from './completion-script.ts';

/** What bash prints of its completion of these words, the last of which is begun. */
function completed(words: readonly string[], printing: string): readonly string[] {
  const script = `plimsoll() {
  if [ "$3" = contexts ]; then printf '%s\\n' one two 'prod eu:1' prod:eu '$HOME'; return; fi
  printf '%s\\n' "our/$3" "asked:$4"
}
no_files=''
compopt() { no_files="$*"; }
eval "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_plimsoll
${printing}`;
  const operands = ['--norc', '-c', script, 'bash', completionScript(createProgram(), 'bash'), ...words];
  const output = execFileSync('bash', operands, { encoding: 'utf8' });
  return output.split('\n').filter((line) => line !== '');
}

function offered(...words: readonly string[]): readonly string[] {
  return completed(words, `printf '%s\\n' "\${COMPREPLY[@]}"`);
}

it.each([
  { words: ['plimsoll', 'w'], want: ['why', 'what-if'] },
  { words: ['plimsoll', 'token', ''], want: ['create', 'list', 'revoke', '--help'] },
  { words: ['plimsoll', 'token', 'create', 'ci', '--ro'], want: ['--role'] },
  { words: ['plimsoll', 'token', 'create', 'ci', '--role', 'a'], want: ['approver', 'admin'] },
  { words: ['plimsoll', 'get', 's'], want: ['sources', 'scaling-events'] },
  { words: ['plimsoll', 'get', '--state', 'S'], want: ['Short', 'Suspended', 'Scheduled', 'StaleSource'] },
  // As bash parts --state=S.
  { words: ['plimsoll', 'get', '--state', '=', 'Sh'], want: ['Short'] },
  { words: ['plimsoll', 'get', '--output', '='], want: ['json', 'yaml'] },
  { words: ['plimsoll', 'get', 'audit-entries', '--kind', 'Key'], want: ['KeyRotation', 'KeyLost'] },
  { words: ['plimsoll', 'history', 'shop/cart', '--un'], want: ['--until'] },
  { words: ['plimsoll', 'blame', 'shop/cart', '--a'], want: ['--at'] },
  { words: ['plimsoll', 'get', '-o', ''], want: ['json', 'yaml'] },
  { words: ['plimsoll', 'why', 'shop/cart', '--context', 't'], want: ['two'] },
  // A name that bash would part or expand is quoted, or kept as it is where a quote is open already.
  { words: ['plimsoll', 'why', '--context', 'prod'], want: [String.raw`prod\ eu:1`, 'prod:eu'] },
  { words: ['plimsoll', 'why', '--context', '=', String.raw`prod\ e`], want: [String.raw`prod\ eu:1`] },
  { words: ['plimsoll', 'why', '--context', '"prod e'], want: ['prod eu:1'] },
  { words: ['plimsoll', 'why', '--context', String.raw`\$`], want: [String.raw`\$HOME`] },
  { words: ['plimsoll', 'why', '--context', '"'], want: ['one', 'two', 'prod eu:1', 'prod:eu'] },
  // As bash parts prod:e, of which it replaces what follows the colon.
  { words: ['plimsoll', 'why', '--context', 'prod', ':', 'e'], want: ['eu'] },
  { words: ['plimsoll', 'get', '--context', 'prod', ':', 'eu', '--st'], want: ['--state'] },
  { words: ['plimsoll', 'resume', 's'], want: ['source'] },
  { words: ['plimsoll', 'why', 'our'], want: ['our/policies'] },
  { words: ['plimsoll', 'override', '--min', '2', 'our'], want: ['our/policies'] },
  { words: ['plimsoll', 'get', 'decisions', '--policy', 'our'], want: ['our/policies'] },
  { words: ['plimsoll', 'rollback', 'our'], want: ['our/sources'] },
  { words: ['plimsoll', 'suspend', '--source', 'our'], want: ['our/sources'] },
  { words: ['plimsoll', 'get', '--namespace', 'our'], want: ['our/namespaces'] },
  { words: ['plimsoll', 'unsuspend', 'our'], want: ['our/interventions'] },
  { words: ['plimsoll', 'dry-run', 'off', 'our'], want: ['our/interventions'] },
  // The controller that the line is for is asked.
  { words: ['plimsoll', 'why', 'ask'], want: ['asked:'] },
  { words: ['plimsoll', 'why', '--context', 'two', 'ask'], want: ['asked:--context=two'] },
  { words: ['plimsoll', 'why', '--context', '=', 'two', 'ask'], want: ['asked:--context=two'] },
  {
    words: ['plimsoll', 'why', '--context', String.raw`prod\ eu`, ':', '1', 'ask'],
    want: [String.raw`asked:--context=prod\ eu:1`],
  },
  { words: ['plimsoll', 'sync', 'our', 'our'], want: [] },
  { words: ['plimsoll', 'validate', '--namespace', 'our'], want: [] },
  { words: ['plimsoll', 'token', 'revoke', 'our'], want: [] },
  // What stands there already is not offered again, an option's value is no operand, and -- ends options.
  { words: ['plimsoll', 'get', 'sources', 's'], want: [] },
  { words: ['plimsoll', 'get', '--namespace', 'shop', 's'], want: ['sources', 'scaling-events'] },
  { words: ['plimsoll', 'get', '--context', '--', '--st'], want: ['--state'] },
  { words: ['plimsoll', 'get', '--', '--st'], want: [] },
  { words: ['plimsoll', 'get', '--', 's'], want: ['sources', 'scaling-events'] },
  { words: ['plimsoll', 'get', '--', 'sources', ''], want: [] },
  { words: ['plimsoll', 'token', 'list', 'l'], want: [] },
  { words: ['plimsoll', 'import', '--context', ''], want: [] },
  { words: ['plimsoll', 'login', '--token-file', ''], want: [] },
])('bash offers $want after $words', ({ words, want }) => {
  expect(offered(...words)).toEqual(want);
});

it.each(['zsh', 'fish'] as const)('%s is offered every command, and choices with their options', (shell) => {
  const script = completionScript(createProgram(), shell);
  for (const text of [
    "' token create'",
    'StaleSource',
    'limit',
    'audit-entries',
    'revoke',
    'viewer',
    'policies',
    'interventions',
  ])
    expect(script).toContain(text);
});

it.each([
  { words: ['validate'] },
  { words: ['validate', 'a.yaml'] },
  { words: ['audit', 'verify'] },
  { words: ['replay'] },
  { words: ['restore', '--force'] },
  { words: ['login', '--token-file'] },
  { words: ['audit', 'export', '--output'] },
])('bash offers files, and no option before a hyphen is typed: $words', ({ words }) => {
  const printing = `printf '%s\\n' "$no_files" "\${COMPREPLY[@]}"`;
  expect(completed(['plimsoll', ...words, ''], printing)).toEqual([]);
});

it.each([
  { words: ['why'] },
  { words: ['approve', 'policies'] },
  { words: ['resume', 'source'] },
  { words: ['replay', 'week'] },
  { words: ['get', '--sort'] },
  { words: ['login', '--server'] },
  { words: ['report', '--from'] },
])('bash offers no file where none is wanted: $words', ({ words }) => {
  expect(completed(['plimsoll', ...words, 'a'], 'echo "$no_files"')).toEqual(['+o default']);
});

it('options are offered where a file is wanted, once a hyphen is typed', () => {
  expect(offered('plimsoll', 'restore', '--da')).toEqual(['--database']);
});

it('fish offers files where one is wanted, and nowhere else', () => {
  const lines = completionScript(createProgram(), 'fish').split('\n');
  expect(lines).toContain('complete -c plimsoll -f');
  const withFiles = lines.filter((line) => / -F(?: |$)/.test(line)).join('\n');
  expect(withFiles).toContain(`-n '__plimsoll_at " validate"' -F`);
  expect(withFiles).toContain('-l token-file -r -F');
  expect(withFiles).not.toContain('-l server');
  expect(withFiles).not.toContain('" why"');
});
