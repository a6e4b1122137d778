import { beforeEach, describe, expect, it } from '@jest/globals';
import { AdapterError, type Json } from '#kernel';
import type { LeaveOutcome } from '#reconciliation';
import { anActivePolicy } from '#reconciliation/testing';
import type { RequestAnswer, RequestHandler } from '../../coordination/shards/shard-requests.ts';
import type { LeaveCandidate, LoadedCandidate } from './leave-candidates.ts';
import { LeaveTargets } from './leave-targets.ts';

const candidate = (name: string): LeaveCandidate => ({
  key: `shop/${name}`,
  policy: { namespace: 'shop', name },
  source: 'policies',
  active: null,
});

const load = (candidates: readonly LeaveCandidate[]): Promise<readonly LoadedCandidate[]> =>
  Promise.resolve(
    candidates.map((one) => ({
      candidate: one,
      left: one.policy.name === 'forgotten' ? null : { policy: anActivePolicy(one.policy).policy, commit },
    })),
  );

const { commit } = anActivePolicy().origin;

/** Policies of even shards are this replica's. */
const shardOf = ({ name }: { readonly name: string }): number => (name.startsWith('own') ? 0 : name.length);

describe('leaving the targets of policies', () => {
  let left: string[];
  let asked: Map<number, Json>[];
  let answer: (shard: number, request: Json) => RequestAnswer | undefined;
  let handler: RequestHandler;
  let targets: LeaveTargets;

  const replica = (holds: (name: string) => boolean): LeaveTargets =>
    new LeaveTargets({
      candidates: { load },
      reconciler: {
        leave: ({ policy: { name } }) => {
          left.push(name);
          if (name === 'broken')
            return Promise.reject(new AdapterError({ code: 'Timeout', message: 'late', retryable: true }));
          return Promise.resolve<LeaveOutcome>({ kind: 'Done', message: `${name} is left` });
        },
      },
      shards: { shardOf, holds: ({ name }) => holds(name) },
      requests: {
        ask: (requests) => {
          asked.push(new Map(requests));
          const answers = [...requests].flatMap(([shard, request]) => {
            const given = answer(shard, request);
            return given === undefined ? [] : [[shard, given] as const];
          });
          return Promise.resolve(new Map(answers));
        },
        handle: (given) => {
          handler = given;
        },
      },
    });

  beforeEach(() => {
    left = [];
    asked = [];
    answer = () => undefined;
    targets = replica((name) => name.startsWith('own'));
  });

  it('asks nobody for those of its own shards', async () => {
    expect(await targets.leave([candidate('own-a'), candidate('own-b')], 'None')).toEqual(
      new Map([
        ['shop/own-a', { kind: 'Done', message: 'own-a is left' }],
        ['shop/own-b', { kind: 'Done', message: 'own-b is left' }],
      ]),
    );
    expect([left, asked]).toEqual([['own-a', 'own-b'], []]);
  });

  it('asks the holder of each other shard once, and says where one does not answer', async () => {
    answer = (shard) => {
      if (shard === 5) return { kind: 'Failed', message: 'the database is away' };
      const left = { 'shop/abc': { kind: 'Blocked', message: 'no HPA does what it says' } };
      return shard === 3 ? { kind: 'Done', answer: left } : undefined;
    };
    const outcomes = await targets.leave(
      ['own-a', 'abc', 'abd', 'abcd', 'abcde'].map(candidate),
      'HorizontalPodAutoscaler',
    );
    expect(asked).toEqual([
      new Map([
        [
          3,
          {
            to: 'HorizontalPodAutoscaler',
            policies: [
              { namespace: 'shop', name: 'abc' },
              { namespace: 'shop', name: 'abd' },
            ],
          },
        ],
        [4, { to: 'HorizontalPodAutoscaler', policies: [{ namespace: 'shop', name: 'abcd' }] }],
        [5, { to: 'HorizontalPodAutoscaler', policies: [{ namespace: 'shop', name: 'abcde' }] }],
      ]),
    ]);
    expect(outcomes).toEqual(
      new Map([
        ['shop/own-a', { kind: 'Done', message: 'own-a is left' }],
        ['shop/abc', { kind: 'Blocked', message: 'no HPA does what it says' }],
        ['shop/abd', { kind: 'Waiting', message: 'the replica that holds shard 3 has not answered' }],
        ['shop/abcd', { kind: 'Waiting', message: 'the replica that holds shard 4 has not answered' }],
        [
          'shop/abcde',
          {
            kind: 'Waiting',
            message: 'the replica that holds shard 5 could not leave it: the database is away',
          },
        ],
      ]),
    );
  });

  it('answers what the leader asks of its own shards, and takes nothing else for a request', async () => {
    const request = {
      to: 'None',
      policies: ['abc', 'forgotten', 'broken'].map((name) => ({ namespace: 'shop', name })),
    };
    expect(await handler(request, 3)).toEqual({
      'shop/abc': { kind: 'Done', message: 'abc is left' },
      'shop/forgotten': {
        kind: 'Blocked',
        message: expect.stringMatching(/^its document is not stored any more, .*: .*write an autoscaler/),
      },
      'shop/broken': { kind: 'Waiting', message: 'late' },
    });
    expect(await handler({ to: 'Nowhere' }, 3)).toEqual({});
    expect(left).toEqual(['abc', 'broken']);
  });
});
