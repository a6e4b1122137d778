import { expect, it } from '@jest/globals';
import { refusalText } from './refusal-text.ts';

const form = 'it wants a time';
const later = '2029-08-18T00:00:00.000Z';
const ofHours = (value: number) => ({ last: later, setting: 'interventions.maximumHours', value }) as const;
const ofDays = (value: number) => ({ last: later, setting: 'auth.maximumTokenDays', value }) as const;
const tooLate = { code: 'BadExpiry', detail: `expires is "${later}"; ${form}` };

it.each([
  {
    given: { code: 'ReasonRequired', detail: 'a reason is required' },
    want: 'ReasonRequired: a reason is required; --reason SENTENCE gives it',
  },
  {
    given: { code: 'OutsideGuardrails', detail: 'maxReplicas 21 is above 20' },
    want: 'OutsideGuardrails: maxReplicas 21 is above 20; --force carries it out all the same, for role admin',
  },
  {
    given: { code: 'BadArgument', detail: '"confirm" is "abc"; it wants a digest' },
    want: 'BadArgument: --confirm is "abc"; it wants a digest',
  },
  {
    given: { code: 'BadArgument', detail: '"scope.namespace" is "A"; it wants a name' },
    want: 'BadArgument: --namespace is "A"; it wants a name',
  },
  {
    given: { code: 'BadArgument', detail: '"grants.0.namespaces.1" is ""; it wants a name' },
    want: 'BadArgument: --namespace is ""; it wants a name',
  },
  {
    given: { code: 'BadExpiry', detail: `expires is "x"; ${form}` },
    want: `BadExpiry: --for ends at "x"; ${form}`,
  },
  ...[
    { duration: '900d', longest: '1d' },
    { duration: '25h', longest: '24h' },
    { duration: '90000m', longest: '1440m' },
    { duration: '36h', longest: '30h', hours: 30 },
    { duration: '2d', longest: '30h', hours: 30 },
  ].map(({ duration, longest, hours = 24 }) => ({
    given: { ...tooLate, bound: ofHours(hours) },
    options: { for: duration },
    want: `BadExpiry: --for is "${duration}"; it wants at most ${longest} (the controller's interventions.maximumHours)`,
  })),
  {
    // The clock of this machine is wrong.
    given: { ...tooLate, bound: ofHours(24) },
    options: { for: '1d' },
    want: `BadExpiry: --for ends at "${later}"; ${form}`,
  },
  {
    given: { ...tooLate, bound: ofHours(24) },
    options: { until: later },
    want: `BadExpiry: --until is "${later}"; ${form}`,
  },
  {
    // A controller of before does not say what bounds it.
    given: tooLate,
    options: { for: '2d' },
    want: `BadExpiry: --for ends at "${later}"; ${form}`,
  },
  {
    given: { code: 'BadExpiry', detail: `expires is "x"; ${form}` },
    options: { until: 'x' },
    want: `BadExpiry: --until is "x"; ${form}`,
  },
  {
    given: { code: 'BadExpiry', detail: `expires is "x"; ${form}` },
    options: { expires: 'x' },
    want: `BadExpiry: --expires is "x"; ${form}`,
  },
  {
    given: { ...tooLate, bound: ofDays(90) },
    options: { expires: '200d' },
    want: `BadExpiry: --expires is "200d"; it wants at most 90d (the controller's auth.maximumTokenDays)`,
  },
  {
    given: { ...tooLate, bound: { last: later, setting: null, value: null } },
    options: { expires: '200d' },
    want: `BadExpiry: --expires is "200d"; it wants an end not after ${later}, when the token that asks expires`,
  },
  {
    given: { code: 'BadArgument', detail: '"commit" is "HEAD"; it wants a hash' },
    want: 'BadArgument: COMMIT is "HEAD"; it wants a hash',
  },
  {
    given: { code: 'BadArgument', detail: '"commit" is "HEAD"; it wants a hash' },
    options: { commit: 'HEAD' },
    want: 'BadArgument: --commit is "HEAD"; it wants a hash',
  },
  {
    given: { code: 'NativeActuation', detail: 'suspend it instead (suspendScaling)' },
    want: 'NativeActuation: suspend it instead ("plimsoll suspend")',
  },
  {
    given: { code: 'Forbidden', detail: 'it is a dry run, which endDryRun or "plimsoll dry-run off" ends' },
    want: 'Forbidden: it is a dry run, which "plimsoll dry-run off" ends',
  },
  {
    given: { code: 'BadTime', detail: 'the period ends after now: give an earlier until' },
    want: 'BadTime: the period ends after now: give an earlier --until, or none',
  },
  {
    given: { code: 'UnknownSource', detail: 'no source is named "x"' },
    want: 'UnknownSource: no source is named "x"; "plimsoll get sources" lists them',
  },
  {
    given: { code: 'NotRolledBack', detail: 'policies is not rolled back: it follows its ref' },
    want: 'NotRolledBack: policies is not rolled back: it follows its ref',
  },
  {
    given: { code: 'RolledBack', detail: 'policies is rolled back' },
    options: { source: 'policies' },
    want: 'RolledBack: policies is rolled back; "plimsoll resume source policies" resumes it',
  },
  {
    given: { code: 'UnknownRevision', detail: 'it has no such revision' },
    options: { source: 'policies' },
    want: 'UnknownRevision: it has no such revision; "plimsoll get revisions --source policies" lists them',
  },
  {
    given: { code: 'constructor', detail: 'no' },
    want: 'constructor: no',
  },
])('$want', ({ given, options = {}, want }) => {
  expect(refusalText(given, options)).toBe(want);
});
