import { describe, expect, it } from '@jest/globals';
import { ago, aPod, inputFor } from '../testing/decide-for.ts';
import { countReadyReplicas } from './count-ready-replicas.ts';

const unready = { ready: { status: 'False', lastTransitionTime: ago(8_900) } };
const scaleOf = (statusReplicas: number): object => ({
  specReplicas: 3,
  statusReplicas,
  selector: 'app=web',
});

describe('countReadyReplicas', () => {
  it.each([
    { name: 'counts the ready pods alone', pods: [aPod('a'), aPod('b'), aPod('c', unready)], want: 2 },
    { name: 'counts no more than status.replicas', pods: [aPod('a'), aPod('b')], statusReplicas: 1, want: 1 },
  ])('$name', ({ pods, statusReplicas = 3, want }) => {
    const input = inputFor({ observation: { scale: scaleOf(statusReplicas), pods } });
    expect(countReadyReplicas(input)).toEqual({ ok: true, value: want });
  });

  it.each([
    {
      name: 'the scale could not be read',
      observation: { scale: { error: { message: '503' } } },
      want: 'the scale could not be read',
    },
    {
      name: 'none is ready',
      observation: { scale: scaleOf(1), pods: [aPod('a', unready)] },
      want: 'none of 1 pods is ready',
    },
  ])('is an error where $name', ({ observation, want }) => {
    expect(countReadyReplicas(inputFor({ observation }))).toEqual({ ok: false, error: want });
  });

  it('counts the pods of the selection in force', () => {
    const own = { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u1' }] };
    const observation = {
      scale: scaleOf(3),
      target: { uid: 'u1' },
      pods: [aPod('a', own), aPod('b', own), aPod('stranger')],
      owners: [],
    };
    const input = inputFor({ spec: { selectionStrategy: 'OwnerReference' }, observation });
    expect(countReadyReplicas(input)).toEqual({ ok: true, value: 2 });
  });
});
