import { describe, expect, it } from '@jest/globals';
import { plainCauses, plainFailure, plainKinds } from './plain-words.ts';

describe('names of the API in sentences', () => {
  it.each([
    {
      given: 'holds by dry-run: DryRun by demo until 2026-11-24T18:10:57Z (a rehearsal): nothing is written',
      want: 'holds by dry-run: dry run by demo until 2026-11-24T18:10:57Z (a rehearsal): nothing is written',
    },
    { given: 'Override by demo until noon', want: 'overridden by demo until noon' },
    { given: 'DryRun is a name', want: 'DryRun is a name' },
  ])('of interventions are words: $given', ({ given, want }) => {
    expect(plainKinds(given)).toBe(want);
  });

  it.each([
    {
      given: 'BlastRadius: 13 targets change; ScaleInByBound: a bound is low; awaiting approval: 12 new',
      want: '13 targets change; a bound is low; awaiting approval: 12 new',
    },
    {
      given: 'still held: BlastRadius: 13 targets change; Unverified: nobody signed it',
      want: 'still held: 13 targets change; nobody signed it',
    },
    { given: '1 error: shop/a.yaml:3:1: Kind: none', want: '1 error: shop/a.yaml:3:1: Kind: none' },
  ])('of causes are left out: $given', ({ given, want }) => {
    expect(plainCauses(given)).toBe(want);
  });

  it.each([
    {
      given:
        'Unreachable: fetch of refs/heads/main: the Git server cannot be reached (fatal: unable to access https://git.example/: Failed to connect to 10.0.0.7 (port 443))',
      want: 'fetch of refs/heads/main: the Git server cannot be reached',
    },
    {
      given: 'ConnectionFailed: the database failed: it takes no connections',
      want: 'the database failed: it takes no connections',
    },
    {
      given:
        'ObjectsNotByName: fetch: let its sshd pass GIT_PROTOCOL on (AcceptEnv), or set it (fatal: refused)',
      want: 'fetch: let its sshd pass GIT_PROTOCOL on (AcceptEnv), or set it',
    },
    {
      given: 'GitFailed: fetch: git ended with status 128 (fatal: odd)',
      want: 'fetch: git ended with status 128 (fatal: odd)',
    },
    { given: 'Timeout: no answer) in time)', want: 'no answer) in time)' },
    { given: 'nothing is new', want: 'nothing is new' },
  ])('of failures are left out, and so is what names addresses: $given', ({ given, want }) => {
    expect(plainFailure(given)).toBe(want);
  });
});
