import { describe, expect, it } from '@jest/globals';
import { matchExpected } from './match-expected.ts';

const decision = {
  desiredReplicas: 8,
  action: 'ScaleUp',
  selection: { requested: 'LabelSelector', fallback: null },
  steps: [
    { rule: 'proposal', before: 4, after: 20 },
    { rule: 'rate-policies', before: 20, after: 8 },
  ],
  conditions: [],
};

const cases = [
  { name: 'passes where every named field is equal', want: { desiredReplicas: 8 }, paths: [] },
  { name: 'compares maps by the fields that are named', want: { selection: { fallback: null } }, paths: [] },
  {
    name: 'finds the items of a list in their order',
    want: { steps: [{ after: 20 }, { after: 8 }] },
    paths: [],
  },
  { name: 'leaves items between out', want: { steps: [{ rule: 'rate-policies' }] }, paths: [] },
  { name: 'takes an empty list as empty', want: { conditions: [] }, paths: [] },
  {
    name: 'refuses items in another order',
    want: { steps: [{ after: 8 }, { after: 20 }] },
    paths: ['steps.1'],
  },
  { name: 'refuses items where none are wanted', want: { steps: [] }, paths: ['steps'] },
  {
    name: 'names the field of the item that is meant',
    want: { steps: [{ rule: 'rate-policies', after: 9 }] },
    paths: ['steps.0.after'],
  },
  {
    name: 'names every field that differs',
    want: { desiredReplicas: 9, action: 'None' },
    paths: ['desiredReplicas', 'action'],
  },
  {
    name: 'never passes a field that does not exist',
    want: { desiredReplica: 8 },
    paths: ['desiredReplica'],
  },
  { name: 'distinguishes types', want: { desiredReplicas: '8' }, paths: ['desiredReplicas'] },
] as const;

describe('matchExpected', () => {
  it.each(cases)('$name', ({ want, paths }) => {
    const found = matchExpected(structuredClone(want), decision);
    expect(found.map(({ path }) => path.join('.'))).toEqual(paths);
  });

  it('suggests the field that is meant', () => {
    const [mismatch] = matchExpected({ desiredReplica: 8 }, decision);
    expect(mismatch?.message).toBe(
      'want 8, got nothing: there is no "desiredReplica" (did you mean desiredReplicas?)',
    );
  });
});
