import { describe, expect, it } from '@jest/globals';
import type { ActionEffect } from '#contracts';
import { describeEffect } from './describe-effect.ts';

const picture = {
  minReplicas: 2,
  maxReplicas: 20,
  pin: null,
  stopped: 'None',
  isDryRun: false,
  replicas: 6,
} as const;

const effect: ActionEffect = {
  action: 'ApproveHold',
  summary: '6bb7c235d376 of policies comes in force as it is held',
  policies: [],
  changes: ['shop/checkout changed: maxReplicas 20 → 5', 'shop/old gone, without an HPA: no reason'],
  total: 3,
  until: null,
  requires: { role: 'approver', confirm: false, force: false },
  problems: [],
  standing: [],
  digest: 'abc',
};

describe('describeEffect', () => {
  it('says what leaves in a table', () => {
    expect(describeEffect(effect)).toBe(
      `6bb7c235d376 of policies comes in force as it is held
POLICY         CHANGE
shop/checkout  changed: maxReplicas 20 → 5
shop/old       gone, without an HPA: no reason
  and 1 more
It wants role approver. Nothing is done yet; --confirm abc does exactly this.
`,
    );
  });

  it.each([
    {
      refusal: 'ApproverRequired',
      want: 'It wants role approver, which you do not have here. Nothing is done; somebody who has it does exactly this with --confirm abc.\n',
    },
    {
      refusal: 'ConfirmationRequired',
      want: 'It wants role approver. Nothing is done yet; --confirm abc does exactly this.\n',
    },
  ])('says who could do it to whom it is refused: $refusal', ({ refusal, want }) => {
    expect(describeEffect(effect, refusal)).toMatch(new RegExp(`\n${want}$`));
  });

  const policy: ActionEffect['policies'][number] = {
    policy: { namespace: 'shop', name: 'checkout' },
    now: picture,
    then: { ...picture, maxReplicas: 5, replicas: 5 },
    target: null,
    labels: {},
    present: 6,
    direction: 'Down',
    changes: ['maxReplicas 20 → 5'],
    notes: [],
    later: [],
  };

  it('says of a policy that leaves the count that its target keeps', () => {
    const leaving = { ...policy, then: null, direction: 'None' as const, changes: [] };
    const text = describeEffect({ ...effect, policies: [leaving], changes: [], total: 1 });
    expect(text.split('\n')[2]).toBe('shop/checkout  2 to 20  not in force  6 → 6');
  });

  it('says what changes of a policy in its row, once', () => {
    const text = describeEffect({ ...effect, policies: [policy], total: 1 });
    expect(text.split('\n').slice(1, 3)).toEqual([
      'POLICY         NOW      THEN    CHANGES             COUNT  NOTES',
      'shop/checkout  2 to 20  2 to 5  maxReplicas 20 → 5  6 → 5',
    ]);
    expect(text).not.toContain('more');
    // There is room for a hundred policies, and for twice as many changes.
    const larger = describeEffect({ ...effect, policies: [policy], total: 3 });
    expect(larger.split('\n').slice(3, 6)).toEqual([
      'POLICY    CHANGE',
      'shop/old  gone, without an HPA: no reason',
      '  and 1 more',
    ]);
    const intervention = describeEffect({
      ...effect,
      policies: [{ ...policy, changes: [] }],
      changes: [],
      total: 1,
    });
    expect(intervention).not.toContain('CHANGES');
  });
});
