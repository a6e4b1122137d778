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
  { given: "error: missing required argument 'policy'\n", want: 'plimsoll: POLICY is missing\n' },
  {
    given: "error: option '--direction <direction>' argument missing\n",
    want: 'plimsoll: --direction wants a value\n',
  },
  {
    given: "error: required option '--config <file>' not specified\n",
    want: 'plimsoll: --config is missing\n',
  },
  {
    given: "error: option '--until <time>' cannot be used with option '--for <duration>'\n",
    want: 'plimsoll: --until and --for exclude each other: give one\n',
  },
  {
    given: "error: too many arguments for 'get'. Expected 1 argument but got 2: policies, sources.\n",
    want: 'plimsoll: get takes 1 argument, and 2 are given: policies, sources\n',
  },
  {
    given: "error: too many arguments for 'list'. Expected 0 arguments but got 1: x.\n",
    want: 'plimsoll: list takes no arguments, and 1 is given: x\n',
  },
  { given: "error: unknown option '--at'\n", want: "plimsoll: unknown option '--at'\n" },
])('$want', ({ given, want }) => {
  expect(argumentRefusal(given)).toBe(want);
});
