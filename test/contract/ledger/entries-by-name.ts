import { beforeEach, describe, expect, it } from '@jest/globals';
import { type EntryCursor, entryKinds, type EntryQuery } from '#ledger';
import {
  aCommit,
  aDecisionDraft,
  anActionDraft,
  anEventDraft,
  appended,
  timeAfter,
} from '../../support/ledger-builders.ts';
import type { LedgerContext } from './ledger-context.ts';

/** What lists have by namespace, actor and commit. */
export function describeEntriesByName(given: () => LedgerContext): void {
  let port: LedgerContext['port'];
  let writer: LedgerContext['writer'];

  beforeEach(() => {
    ({ port, writer } = given());
  });

  describe('entries by what their payload names', () => {
    const commitOf = (hash: string) => ({ author: 'Ada', subject: 's', time: timeAfter(0), hash });
    const teams = ['team-a', 'team-b', 'team-ab', 'shop'];

    beforeEach(async () => {
      const events = teams.flatMap((namespace, index) => {
        const policy = { namespace, name: 'api' };
        return [
          anEventDraft({ policy, commit: commitOf('c1') }, timeAfter(index)),
          anEventDraft({ policy, commit: index < 2 ? commitOf('c2') : null }, timeAfter(10 + index)),
          aDecisionDraft({ policy, time: timeAfter(20 + index), action: 'Hold' }),
        ];
      });
      const actions = ['ada', 'grace', 'ada'].map((actor, index) =>
        anActionDraft(actor, timeAfter(30 + index)),
      );
      appended(await writer.append({ drafts: [...events, ...actions] }));
      const concerned = [{ namespace: 'team-c' }, { policy: 'team-c/api' }, { policy: 'Team C/x' }];
      for (const [index, each] of concerned.entries())
        appended(await writer.append({ drafts: [anActionDraft('joan', timeAfter(33 + index), each)] }));
      const wider = [
        { scope: 'Namespace', namespace: 'team-a' },
        { source: 'main', digest: '1' },
        { scope: 'MetricSource', metricSource: 'prometheus/main' },
        { scope: 'Cluster' },
      ];
      for (const [index, each] of wider.entries())
        appended(await writer.append({ drafts: [anActionDraft('zoe', timeAfter(50 + index), each)] }));
      for (const [index, actor] of ['lin', 'mia'].entries()) {
        const action = anActionDraft(actor, timeAfter(36 + index), { policy: 'team-a/api' });
        appended(await writer.append({ drafts: [action] }));
      }
      const late = anEventDraft({ policy: { namespace: 'team-a', name: 'api' } }, timeAfter(40));
      appended(await writer.append({ drafts: [{ ...late, stream: 'late:team-a/api' }] }));
    });

    const shown = (streamName: string): string => streamName.replace(/^(policy|late):/, '');
    const cases: readonly { name: string; given: Partial<EntryQuery>; want: readonly string[] }[] = [
      {
        name: 'namespaces, by name and by pattern',
        given: { kinds: ['ScalingEvent'], namespaces: ['shop', 'team-a*'] },
        want: [
          'team-a/api1',
          'team-ab/api1',
          'shop/api1',
          'team-a/api2',
          'team-ab/api2',
          'shop/api2',
          'team-a/api1',
        ],
      },
      {
        name: 'a namespace, of all kinds and newest first',
        given: { namespaces: ['team-b'], order: 'NewestFirst' },
        want: ['team-b/api3', 'team-b/api2', 'team-b/api1'],
      },
      { name: 'namespaces that are not there', given: { namespaces: ['team', 'x*'] }, want: [] },
      {
        name: 'what operators did to a namespace without policies',
        given: { namespaces: ['team-c'] },
        want: ['admin4', 'admin5'],
      },
      {
        name: 'what an operator did to a namespace',
        given: { kinds: ['OperatorAction'], actor: 'joan', namespaces: ['team*'], order: 'NewestFirst' },
        want: ['admin5', 'admin4'],
      },
      {
        name: 'a policy, and what operators did to it',
        given: { policy: { namespace: 'team-a', name: 'api' } },
        want: ['team-a/api1', 'team-a/api2', 'team-a/api3', 'admin11', 'admin12'],
      },
      {
        name: 'a policy, and what came late of it',
        given: { policy: { namespace: 'team-a', name: 'api' }, isWithLate: true },
        want: ['team-a/api1', 'team-a/api2', 'team-a/api3', 'admin11', 'admin12', 'team-a/api1'],
      },
      {
        name: 'what came late of a policy, by its kind',
        given: {
          kinds: ['ScalingEvent'],
          policy: { namespace: 'team-a', name: 'api' },
          isWithLate: true,
          order: 'NewestFirst',
        },
        want: ['team-a/api1', 'team-a/api2', 'team-a/api1'],
      },
      {
        name: 'what operators did to a policy, newest first',
        given: {
          kinds: ['OperatorAction'],
          policy: { namespace: 'team-a', name: 'api' },
          order: 'NewestFirst',
        },
        want: ['admin12', 'admin11'],
      },
      {
        name: 'what one operator did to a policy',
        given: { policy: { namespace: 'team-a', name: 'api' }, actor: 'mia' },
        want: ['admin12'],
      },
      {
        name: 'a policy by a commit',
        given: { policy: { namespace: 'team-b', name: 'api' }, commit: 'c2' },
        want: ['team-b/api2'],
      },
      {
        name: 'decisions of a policy by their action',
        given: { policy: { namespace: 'team-a', name: 'api' }, action: 'Hold' },
        want: ['team-a/api3'],
      },
      {
        name: 'a policy, and what operators did to what it is in',
        given: {
          kinds: ['OperatorAction'],
          policy: { namespace: 'team-a', name: 'api' },
          scopes: [
            'Namespace team-a',
            'Source main',
            'MetricSource prometheus/main',
            'Cluster',
            'Source none',
          ],
          order: 'NewestFirst',
        },
        want: ['admin10', 'admin9', 'admin8', 'admin7', 'admin12', 'admin11'],
      },
      {
        name: 'what one operator did to what a policy is in',
        given: {
          policy: { namespace: 'team-a', name: 'api' },
          scopes: ['Source main', 'Cluster'],
          actor: 'zoe',
        },
        want: ['admin8', 'admin10'],
      },
      {
        name: 'what operators did to a policy that was never in force',
        given: { policy: { namespace: 'team-c', name: 'api' } },
        want: ['admin5'],
      },
      { name: 'a policy that is not there', given: { policy: { namespace: 'team-a', name: 'x' } }, want: [] },
      { name: 'no namespace at all', given: { namespaces: [] }, want: [] },
      { name: 'an actor', given: { actor: 'ada' }, want: ['admin1', 'admin3'] },
      {
        name: 'an actor in the namespaces of policies',
        given: { actor: 'ada', namespaces: ['*'] },
        want: [],
      },
      { name: 'an unknown actor', given: { actor: 'eve' }, want: [] },
      { name: 'a commit', given: { commit: 'c2' }, want: ['team-a/api2', 'team-b/api2'] },
      {
        name: 'a commit in namespaces',
        given: { commit: 'c2', namespaces: ['*b'] },
        want: ['team-b/api2'],
      },
      {
        name: 'a commit in a stream',
        given: { commit: 'c1', stream: 'policy:shop/api' },
        want: ['shop/api1'],
      },
      {
        name: 'an action in namespaces',
        given: { action: 'Hold', namespaces: ['*-a', 'shop'] },
        want: ['team-a/api3', 'shop/api3'],
      },
      {
        name: 'an action in a namespace, newest first',
        given: { kinds: ['Decision'], action: 'Hold', namespaces: ['team-b'], order: 'NewestFirst' },
        want: ['team-b/api3'],
      },
      {
        name: 'decisions of namespaces with what else they have',
        given: { kinds: ['Decision', 'ScalingEvent'], namespaces: ['shop', 'team-b'] },
        want: ['team-b/api1', 'shop/api1', 'team-b/api2', 'shop/api2', 'team-b/api3', 'shop/api3'],
      },
      {
        name: 'decisions of a commit',
        given: { kinds: ['Decision'], commit: aCommit.hash },
        want: ['team-a/api3', 'team-b/api3', 'team-ab/api3', 'shop/api3'],
      },
      {
        name: 'an action of a commit',
        given: { action: 'None', commit: aCommit.hash },
        want: [],
      },
      {
        name: 'a time in namespaces',
        given: { namespaces: ['*'], until: nanoseconds(timeAfter(2)) },
        want: ['team-a/api1', 'team-b/api1'],
      },
    ];

    it.each(cases)('$name', async ({ given, want }) => {
      for (const limit of [1, 3, 100]) {
        const ids: string[] = [];
        let after: EntryCursor | undefined;
        for (let hasMore = true; hasMore;) {
          const query: EntryQuery = { kinds: entryKinds, order: 'OldestFirst', limit, ...given };
          const page = await port.entries({ ...query, ...(after === undefined ? {} : { after }) });
          ids.push(...page.items.map(({ entry }) => `${shown(entry.stream)}${entry.seq}`));
          ({ hasMore } = page);
          after = page.items.at(-1)?.cursor;
        }
        expect(ids).toEqual(want);
      }
    });
  });
}

function nanoseconds(time: string): bigint {
  return BigInt(Date.parse(time)) * 1_000_000n;
}
