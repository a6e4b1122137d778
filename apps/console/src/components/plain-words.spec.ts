import { describe, expect, it } from '@jest/globals';
import { plainCauses, plainKinds } from './plain-words.ts';

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
    { given: '1 error: shop/a.yaml:3:1: Kind: none', want: '1 error: shop/a.yaml:3:1: Kind: none' },
  ])('of causes are left out: $given', ({ given, want }) => {
    expect(plainCauses(given)).toBe(want);
  });
});
