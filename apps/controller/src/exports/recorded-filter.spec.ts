import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '#kernel';
import { sha256Hex } from '#ledger';
import { recordedFilter } from './recorded-filter.ts';

describe('recordedFilter', () => {
  const filter = { from: null, until: null, namespaces: ['shop'], policies: null, kinds: null };

  it('is the filter itself where its lists are short', () => {
    expect(recordedFilter(filter)).toEqual(filter);
  });

  it('has the first names of a long list, and what tells all of them', () => {
    const policies = Array.from({ length: 1_000 }, (_, index) => `${'n'.repeat(300)}/${index}`);
    const recorded = recordedFilter({ ...filter, policies });
    expect(recorded).toEqual({
      ...filter,
      policies: { first: policies.slice(0, 50), count: 1_000, sha256: sha256Hex(canonicalJson(policies)) },
    });
    expect(JSON.stringify(recorded).length).toBeLessThan(20_000);
  });
});
