import { expect, it } from '@jest/globals';
import { argumentRefusal } from './argument-refusal.ts';

it.each([
  {
    given:
      "error: option '-o, --output <format>' argument 'xml' is invalid. Allowed choices are json, yaml.\n",
    want: 'plimsoll: --output is "xml"; it wants one of json, yaml\n',
  },
  {
    given: "error: option '--namespace <pattern>' argument 'it's' is invalid. It wants --role before it.",
    want: 'plimsoll: --namespace is "it\'s"; it wants --role before it',
  },
  {
    given:
      "error: command-argument value 'a\nb' is invalid for argument 'list'. Allowed choices are holds.\n",
    want: 'plimsoll: LIST is "a\\nb"; it wants one of holds\n',
  },
  {
    given:
      "error: command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.\n",
    want: 'plimsoll: the shell is "tcsh"; it wants one of bash, zsh, fish\n',
  },
  { given: "error: unknown option '--at'\n", want: "plimsoll: unknown option '--at'\n" },
])('$want', ({ given, want }) => {
  expect(argumentRefusal(given)).toBe(want);
});
