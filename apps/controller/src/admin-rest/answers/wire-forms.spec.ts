import { describe, expect, it } from '@jest/globals';
import type { PolicyView } from '../../admin/policies/policy-queries.ts';
import { toPolicy } from './wire-forms.ts';

describe('the REST form of a policy', () => {
  it.each([
    {
      name: 'the decision that its latest pass made',
      decided: { recordedAs: 'policy:shop/web#7' },
      want: 'policy:shop/web#7',
    },
    { name: 'none that is not recorded yet', decided: { recordedAs: null }, want: null },
    { name: 'none where the pass decided nothing', decided: null, want: null },
  ])('names $name', ({ decided, want }) => {
    // What is not looked at is left out.
    const view = {
      active: { policy: { namespace: 'shop', name: 'web' } },
      report: { outcome: { kind: 'Done' }, scale: null, conditions: [], decided },
      standing: { windows: [], states: [] },
    } as unknown as PolicyView;
    expect(toPolicy(view).status?.decision).toBe(want);
  });
});
