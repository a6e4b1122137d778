import { describe, expect, it } from '@jest/globals';
import type { Blame } from '#contracts';
import { aCommit, aDecision, aMetric } from '../../../../test/support/ledger-builders.ts';
import { plain } from '../decision/explain-decision.ts';
import { showBlame, showWhy } from './show-policy.ts';

const decision = {
  ...aDecision(),
  id: 'policy:shop/checkout#1',
  commit: aCommit,
  departures: [],
  engineVersion: '1.0.0',
} as unknown as Blame['decision'];

const version = (validTo: string | null, departure: string | null): NonNullable<Blame['version']> => ({
  origin: { source: 'policies', commit: aCommit, file: 'checkout.yaml', line: 3 },
  validFrom: '2026-11-20T11:00:00Z',
  validTo,
  departure,
  removedBy: null,
  removedByOperator: null,
  removalAllowedBy: null,
  allowedBy: null,
  document: {},
});

const nothing = {
  change: null,
  revision: null,
  allowedBy: null,
  sync: null,
  pullRequest: null,
  review: null,
  interventions: [],
  notVisible: [],
};

const removal = {
  hash: '0123456789abcdef'.padEnd(40, '0'),
  author: 'Alex Example',
  subject: 'No more',
  time: '2026-11-20T12:59:00Z',
};

it.each([
  { name: 'is in force', given: version(null, null), blame: /in force since \S+Z\n/, why: undefined },
  {
    name: 'was removed',
    given: version('2026-11-20T13:00:00Z', 'Pruned'),
    blame: /in force since \S+Z, until 2026-11-20T13:00:00Z \(Pruned\)\n/,
    why: 'in force  until 2026-11-20T13:00:00Z (Pruned)\n',
  },
  {
    name: 'was removed, in which commit and whose',
    given: { ...version('2026-11-20T13:00:00Z', 'Pruned'), removedBy: removal },
    blame: /until 2026-11-20T13:00:00Z \(Pruned by 0123456789ab Alex Example\)\n/,
    why: 'in force  until 2026-11-20T13:00:00Z (Pruned by 0123456789ab Alex Example)\n',
  },
  {
    name: 'was removed, and who let that happen',
    given: {
      ...version('2026-11-20T13:00:00Z', 'Pruned'),
      removedBy: removal,
      removalAllowedBy: [
        {
          action: 'ApproveHold' as const,
          by: 'ben',
          reason: 'looked\nat it',
          time: '2026-11-20T12:59:30Z',
          digest: 'abc',
        },
      ],
    },
    blame: /\(Pruned by 0123456789ab Alex Example; ben approved at 2026-11-20T12:59:30Z: looked at it\)\n/,
    why: 'in force  until 2026-11-20T13:00:00Z (Pruned by 0123456789ab Alex Example; ben approved at 2026-11-20T12:59:30Z: looked at it)\n',
  },
  {
    name: 'was released, by whom and why',
    given: {
      ...version('2026-11-20T13:00:00Z', 'Released'),
      removedByOperator: { action: 'ReleasePolicy', by: 'olga', reason: 'it\nleaves' },
    },
    blame: /until 2026-11-20T13:00:00Z \(Released by olga: it leaves\)\n/,
    why: 'in force  until 2026-11-20T13:00:00Z (Released by olga: it leaves)\n',
  },
  {
    name: 'was replaced',
    given: version('2026-11-20T13:00:00Z', null),
    blame: /, until 2026-11-20T13:00:00Z \(a newer version followed\)\n/,
    why: 'in force  until 2026-11-20T13:00:00Z (a newer version followed)\n',
  },
])('says of a decision whether the policy behind it $name', ({ given, blame, why }) => {
  expect(showBlame({ decision, version: given, ...nothing, intents: [], outcomes: [] })).toMatch(blame);
  const explained = showWhy({ decision, ...nothing, version: given }, plain);
  expect(/^in force.*\n/m.exec(explained)?.[0]).toBe(why);
});

it('names the interventions that made or stopped the count, with who began each, why and until when', () => {
  const until = 'until 2026-11-20T13:00:00Z';
  const steps = [
    { rule: 'tolerance', before: 6, after: 6, because: 'within 10 %' },
    { rule: 'override', before: 6, after: 9, because: `Override by ada ${until} (a sale): 9 replicas` },
    {
      rule: 'suspend',
      before: 9,
      after: 6,
      because: `Suspend by ben ${until} (wait\n  sync) stops scaling up`,
    },
  ];
  const given = { decision: { ...decision, steps }, version: version(null, null) };
  expect(
    showBlame({ ...given, ...nothing, intents: [], outcomes: [] })
      .split('\n')
      .slice(1, 4),
  ).toEqual([
    `  override  Override by ada ${until} (a sale): 9 replicas`,
    `  suspend   Suspend by ben ${until} (wait sync) stops scaling up`,
    '  policy    checkout.yaml:3, in force since 2026-11-20T11:00:00Z',
  ]);
});

it('names who let the version into force: an approval, a rollback, a resumption', () => {
  const done = { by: 'eve', time: '2026-11-20T11:00:00Z', digest: null };
  const allowedBy = [
    { ...done, action: 'RollBackSource' as const, reason: 'it flaps' },
    { ...done, action: 'ApproveHold' as const, by: 'ben', reason: 'looked\nat it', digest: 'abc' },
    { ...done, action: 'ResumeSource' as const, reason: '', time: null },
  ];
  const lines = [
    'rollback  by eve at 2026-11-20T11:00:00Z: it flaps\n',
    'approved  by ben at 2026-11-20T11:00:00Z: looked at it\n',
    'resumed   by eve\n',
  ];
  const blame = { decision, version: version(null, null), ...nothing, allowedBy, intents: [], outcomes: [] };
  expect(showBlame(blame)).toContain(lines.map((line) => `  ${line}`).join(''));
  expect(showWhy(blame, plain)).toContain(lines.join(''));
});

it('says what is left out of it for who may not see it, and which role would show it', () => {
  const ofSource = 'needs viewer of all namespaces of source policies';
  const everywhere = 'needs viewer of all namespaces';
  const notVisible: Blame['notVisible'] = [
    { part: 'Revision', source: 'policies', message: ofSource },
    { part: 'AllowedBy', source: 'policies', message: ofSource },
    { part: 'Sync', source: null, message: everywhere },
    { part: 'Review', source: null, message: everywhere },
  ];
  const blame = { decision, version: version(null, null), ...nothing, notVisible, intents: [], outcomes: [] };
  expect(showBlame(blame)).toContain(
    [
      `  revision  not visible to you: ${ofSource}\n`,
      `  allowed   not visible to you: ${ofSource}\n`,
      `  sync      not visible to you: ${everywhere}\n`,
      `  review    not visible to you: ${everywhere}\n`,
    ].join(''),
  );
  // Only what it would show.
  expect(showWhy(blame, plain)).toMatch(
    /\nallowed   not visible to you: needs viewer of all namespaces of source policies\n$/,
  );
});

it.each([
  {
    states: ['Suspended', 'Short'] as const,
    evaluatedBy: 'ThisReplica' as const,
    want: 'now       Suspended, Short (latest pass: Unchanged)\n',
  },
  {
    states: [] as const,
    evaluatedBy: 'ThisReplica' as const,
    want: 'now       latest pass: Unchanged\n',
  },
  {
    states: ['AtMaximum'] as const,
    evaluatedBy: 'AnotherReplica' as const,
    want: 'now       AtMaximum (recorded last by another replica: Unchanged)\n',
  },
  {
    states: [] as const,
    evaluatedBy: 'NobodyYet' as const,
    want: 'now       recorded last, no pass here yet: Unchanged\n',
  },
  {
    // As a controller of before answers.
    states: [] as const,
    evaluatedBy: undefined as unknown as 'ThisReplica',
    want: 'now       latest pass: Unchanged\n',
  },
])('says beside a decision what stands now: $states, by $evaluatedBy', ({ states, evaluatedBy, want }) => {
  const status = {
    outcome: 'Done',
    reason: 'Unchanged',
    message: 'as it was',
    time: '2026-11-20T12:00:00Z',
    replicas: 4,
    statusReplicas: 4,
    ...{ evaluatedBy, shard: 0 },
    decision: null,
    conditions: [],
  };
  const text = showWhy({ decision, ...nothing, version: null, present: { states, status } }, plain);
  expect(/^now .*\n/m.exec(text)?.[0]).toBe(want);
});

it('says beside a decision what of the policy was rejected, by whom, when and why, and what waits', () => {
  const hold = {
    ...{
      source: 'policies',
      digest: 'd',
      tenant: null,
      commit: '0123456789abcdef',
      since: 'then',
      effect: null,
    },
    causes: [{ code: 'ScaleInByBound', message: 'a bound is low', items: ['shop/web maxReplicas 50 → 10'] }],
  };
  const rejection = { by: 'ann', reason: 'too\nlow', time: '2026-11-20T12:00:00Z' };
  const holds = [
    { ...hold, isRejected: true, rejection },
    { ...hold, isRejected: false, rejection: null },
  ];
  const present = { states: ['Held', 'Rejected'] as const, status: null, holds };
  const text = showWhy({ decision, ...nothing, version: null, present }, plain);
  expect(text.slice(text.indexOf('now '))).toBe(
    'now       Held, Rejected\n' +
      'rejected  0123456789ab by ann at 2026-11-20T12:00:00Z: too low (ScaleInByBound: shop/web maxReplicas 50 → 10: a bound is low)\n' +
      'held      0123456789ab (ScaleInByBound: shop/web maxReplicas 50 → 10: a bound is low)\n',
  );
});

it.each([
  {
    ...{ tenant: 'shop', message: '2 errors: a.yaml:3:1: bad', notVisible: null },
    want: 'tenant shop: 2 errors: a.yaml:3:1: bad',
  },
  {
    ...{ tenant: '', message: null, notVisible: 'needs viewer of all namespaces of source policies' },
    want: 'it has errors (not visible to you: needs viewer of all namespaces of source policies)',
  },
])('says beside a decision which commit is not in force, and why: $want', ({ want, ...rejection }) => {
  const rejectedCommit = { commit: '0123456789abcdef', ...rejection };
  const present = { states: ['Rejected'] as const, status: null, rejectedCommit };
  const text = showWhy({ decision, ...nothing, version: null, present }, plain);
  expect(text.slice(text.indexOf('now '))).toBe(
    `now       Rejected\nrejected  0123456789ab is not in force: ${want}\n`,
  );
});

it('says beside a decision what waits of which the caller may not see all: what it does to this policy alone', () => {
  const hold = {
    ...{ source: 'policies', commit: '0123456789abcdef', since: '2026-11-20T12:00:00Z' },
    message: 'needs viewer of all namespaces of source policies',
  };
  const notVisibleHolds = [
    { ...hold, isRejected: false, change: 'changed: maxReplicas 50 → 10' },
    { ...hold, isRejected: true, change: null },
  ];
  const present = { states: ['Held'] as const, status: null, notVisibleHolds };
  const text = showWhy({ decision, ...nothing, version: null, present }, plain);
  const rest = `(why, and what else: not visible to you: ${hold.message})`;
  expect(text.slice(text.indexOf('now '))).toBe(
    'now       Held\n' +
      `held      0123456789ab since 2026-11-20T12:00:00Z: changed: maxReplicas 50 → 10 ${rest}\n` +
      `rejected  0123456789ab since 2026-11-20T12:00:00Z: may change it ${rest}\n`,
  );
});

it('names no earlier pass in which a count that was never zero would have left it', () => {
  const condition = {
    type: 'ScaledToZero',
    status: 'False' as const,
    reason: 'NotScaledToZero',
    message: 'as remembered from an earlier pass',
    lastTransitionTime: '2026-11-20T12:00:00Z',
  };
  const explained = {
    ...decision,
    ...aDecision({ conditions: [condition] }),
  } as unknown as Blame['decision'];
  expect(showWhy({ decision: explained, ...nothing, version: null }, plain)).toContain(
    '  ScaledToZero  False  NotScaledToZero: the target was not scaled to zero by its policy\n',
  );
});

it('has the unit of what is requested', () => {
  const step = {
    rule: 'proposal' as const,
    before: 4,
    after: 6,
    because: '83 % of 2 requested over 4 ready pods',
  };
  const explained = {
    ...decision,
    ...aDecision({ metrics: [aMetric({ type: 'Resource', name: 'cpu' })], steps: [step] }),
  } as unknown as Blame['decision'];
  const text = showWhy({ decision: explained, ...nothing, version: null }, plain);
  expect(text).toContain('83 % of 2 cores requested over 4 ready pods');
});

it.each([
  {
    message: 'NoSample: unable to get metric queue',
    want: 'no value; NoSample: unable to get metric queue\n',
  },
  { message: 'unable to get metric queue', want: 'no value; NoSample: unable to get metric queue\n' },
])('names the reason of a metric without a value once, where it is told “$message”', ({ message, want }) => {
  const metric = aMetric({ current: {}, proposedReplicas: null, error: { reason: 'NoSample', message } });
  const explained = { ...decision, ...aDecision({ metrics: [metric] }) } as unknown as Blame['decision'];
  expect(showWhy({ decision: explained, ...nothing, version: null }, plain)).toContain(want);
});

it('names what stands and had no part in the decision, once, and what the forced of them went against', () => {
  const scope = { kind: 'Cluster' } as const;
  const terms = { id: 'one', scope, since: 'then', expires: '2026-11-20T13:00:00Z', reason: 'incident\n7' };
  const interventions = ['ada', 'olga'].map((actor) => ({
    ...{ ...terms, actor, against: [`no rule of ${actor}`, 'a\nlimit'] },
    ...{ kind: 'Suspend' as const, direction: 'Down' as const },
  }));
  const because = 'Suspend by ada until 2026-11-20T13:00:00Z (incident 7) stops scaling down';
  const steps = [
    { rule: 'suspend', before: 4, after: 6, because },
    { rule: 'suspend', before: 6, after: 6, because },
  ];
  const given = { decision: { ...decision, steps }, version: version(null, null) };
  const text = showBlame({ ...given, ...nothing, intents: [], outcomes: [] }, { interventions });
  expect(text.split('\n').slice(1, 8)).toEqual([
    `  suspend   ${because}`,
    '  forced    against no rule of ada',
    '  forced    against a limit',
    `  suspend   ${because}`,
    '  standing  Suspend (down) by olga until 2026-11-20T13:00:00Z: incident 7',
    '  forced    against no rule of olga',
    '  forced    against a limit',
  ]);
});

describe('what stood as it was decided', () => {
  const until = 'until 2026-11-20T13:00:00Z';
  const override = {
    ...{ id: 'one', kind: 'Override' as const, scope: { kind: 'Cluster' as const }, since: 'then' },
    ...{ actor: 'ada', reason: 'a sale', expires: '2026-11-20T13:00:00Z', against: ['guardrail bounds'] },
    ...{ minReplicas: 2, maxReplicas: 10, replicas: 40 },
  };
  const suspension = {
    ...{ id: 'two', kind: 'Suspend' as const, scope: { kind: 'Cluster' as const }, since: 'then' },
    ...{ actor: 'ben', reason: 'wait', expires: '2026-11-20T13:00:00Z', against: [] },
    direction: 'Down' as const,
  };
  const end = { time: '2026-11-20T12:30:00Z', actor: 'eve', reason: 'the sale\nis over' };
  const expiry = { time: '2026-11-20T13:00:00Z', actor: 'plimsoll', reason: null };
  const interventions = [
    { intervention: override, isForced: true, end },
    { intervention: suspension, isForced: false, end: expiry },
  ];
  const steps = [
    { rule: 'override', before: 6, after: 40, because: `Override by ada ${until} (a sale): 40 replicas` },
  ];
  const given = { decision: { ...decision, steps }, version: version(null, null), ...nothing };

  it('is told with what it was forced against and how it ended since, in the place of its step', () => {
    const text = showBlame({ ...given, interventions, intents: [], outcomes: [] });
    expect(text.split('\n').slice(1, 5)).toEqual([
      `  override  Override by ada ${until} (a sale): 40 replicas`,
      '  forced    against guardrail bounds',
      '  ended     by eve at 2026-11-20T12:30:00Z: the sale is over',
      `  stood     Suspend (down) by ben ${until}: wait`,
    ]);
  });

  it('is told by why, and once where it stands still', () => {
    const [forced] = interventions;
    const standing = { intervention: suspension, isForced: false, end: null };
    const present = { states: [], status: null, interventions: [suspension] };
    const told = { ...given, interventions: forced === undefined ? [] : [forced, standing], present };
    const text = showWhy(told, plain);
    expect(text.slice(text.indexOf('stood '))).toBe(
      `stood     Override (at least 2, at most 10, exactly 40) by ada ${until}: a sale\n` +
        'forced    against guardrail bounds\n' +
        'ended     by eve at 2026-11-20T12:30:00Z: the sale is over\n' +
        `standing  Suspend (down) by ben ${until}: wait\n`,
    );
  });

  it('was forced also where an earlier release did not keep against what', () => {
    const kept = [{ intervention: { ...override, against: [] }, isForced: true, end: null }];
    const text = showBlame({ ...given, interventions: kept, intents: [], outcomes: [] });
    expect(text.split('\n')[2]).toBe('  forced    against what was not kept');
  });

  it('is said not to be known where more was done than is looked through', () => {
    const text = showBlame({ ...given, interventions: null, intents: [], outcomes: [] });
    expect(text.split('\n')[2]).toMatch(/^ {2}stood {5}not known: /);
    expect(showWhy({ ...given, interventions: null }, plain)).toMatch(/^stood {5}not known: /m);
  });
});

it('says of a condition that is otherwise now, as where no native controller looks at the HPA', () => {
  const able = { type: 'AbleToScale', lastTransitionTime: '2026-11-20T12:00:00Z' };
  const decided = { ...able, status: 'True' as const, reason: 'ReadyForNewScale', message: 'it is' };
  const explained = { ...decision, ...aDecision({ conditions: [decided] }) } as unknown as Blame['decision'];
  const whyOf = (now: { status: string; reason: string; message: string }): string => {
    const status = {
      ...{ outcome: 'Done', reason: 'Unchanged', message: '', time: '2026-11-20T12:00:00Z' },
      ...{ replicas: 4, statusReplicas: 4, decision: null, conditions: [{ ...able, ...now }] },
      ...{ evaluatedBy: 'ThisReplica' as const, shard: 0 },
    };
    const text = showWhy(
      {
        ...{ decision: explained, ...nothing, version: null },
        present: { states: [], status },
      },
      plain,
    );
    return text.slice(text.indexOf('now '));
  };
  expect(whyOf({ status: 'Unknown', reason: 'NotObserved', message: 'not looked\nat yet' })).toBe(
    'now       latest pass: Unchanged\nnow       AbleToScale is Unknown, NotObserved: not looked at yet\n',
  );
  expect(whyOf({ status: 'True', reason: 'SucceededRescale', message: 'scaled' })).toBe(
    'now       latest pass: Unchanged\n',
  );
});

it.each([
  {
    name: 'cannot be made',
    given: [['Progressing', 'ReplicaFailure', '3 of 4 are ready: exceeded quota']],
    want: 'now       Progressing is True, ReplicaFailure: 3 of 4 are ready: exceeded quota\n',
  },
  {
    name: 'do not come for longer than they may',
    given: [
      ['Progressing', 'ReplicaFailure', '3 of 4 are ready: exceeded quota'],
      ['Degraded', 'ProgressDeadlineExceeded', 'for more than 600 s 3 of 4 are ready: exceeded quota'],
    ],
    want: 'now       Degraded is True, ProgressDeadlineExceeded: for more than 600 s 3 of 4 are ready: exceeded quota\n',
  },
  { name: 'come yet', given: [['Progressing', 'ReplicasNotReady', '3 of 4 are ready']], want: '' },
  { name: 'are not what degrades it', given: [['Degraded', 'Conflict', 'another scales it']], want: '' },
])('says why pods $name: $want', ({ given, want }) => {
  const lastTransitionTime = '2026-11-20T12:00:00Z';
  const conditions = given.map(([type = '', reason = '', message = '']) => ({
    ...{ type, status: 'True', reason, message, lastTransitionTime },
  }));
  const status = {
    ...{ outcome: 'Done', reason: 'Unchanged', message: '', time: lastTransitionTime, decision: null },
    ...{ replicas: 4, statusReplicas: 3, conditions, evaluatedBy: 'ThisReplica' as const, shard: 0 },
  };
  const text = showWhy({ decision, version: null, ...nothing, present: { states: [], status } }, plain);
  expect(text.slice(text.indexOf('now '))).toBe(`now       latest pass: Unchanged\n${want}`);
});

it.each([
  {
    outcome: 'Stalled',
    message: 'shop/web 3 → 3  cpu 68 %  not written: HorizontalPodAutoscaler web, applied by helm, scales it',
    want: 'now       not written: HorizontalPodAutoscaler web, applied by helm, scales it\n',
  },
  {
    outcome: 'Failed',
    message: 'shop/web 3 → 4  cpu 90 %  could not scale to 4: deployments/scale\nis forbidden',
    want: 'now       could not scale to 4: deployments/scale is forbidden\n',
  },
  { outcome: 'Failed', message: 'the pass was ended: 30 s', want: 'now       the pass was ended: 30 s\n' },
  { outcome: 'Done', message: 'shop/web 3 → 3  not written: dry run', want: '' },
])('says why a pass that is $outcome is not done: $want', ({ outcome, message, want }) => {
  const status = {
    ...{ outcome, message, reason: 'Given', time: '2026-11-20T12:00:00Z', conditions: [], decision: null },
    ...{ replicas: 3, statusReplicas: 3, evaluatedBy: 'ThisReplica' as const, shard: 0 },
  };
  const text = showWhy({ decision, version: null, ...nothing, present: { states: [], status } }, plain);
  expect(text.slice(text.indexOf('now '))).toBe(`now       latest pass: Given\n${want}`);
});

it('says beside a decision what stands: which direction or count, by whom, until when and why', () => {
  const scope = { kind: 'Policy', namespace: 'shop', name: 'checkout' } as const;
  const terms = {
    id: 'one',
    scope,
    actor: 'olga',
    since: 'then',
    expires: '2026-11-20T13:00:00Z',
    against: [],
  };
  const present = {
    states: ['Suspended', 'Overridden'] as const,
    status: null,
    interventions: [
      { ...terms, kind: 'Suspend' as const, direction: 'Down' as const, reason: 'incident\n7' },
      {
        ...{ ...terms, kind: 'Override' as const, actor: 'ben', reason: 'a sale' },
        ...{
          minReplicas: null,
          maxReplicas: null,
          replicas: 40,
          against: ['guardrail bounds: no more than 20'],
        },
      },
    ],
  };
  const text = showWhy({ decision, ...nothing, version: null, present }, plain);
  expect(text.slice(text.indexOf('now '))).toBe(
    'now       Suspended, Overridden\n' +
      'standing  Suspend (down) by olga until 2026-11-20T13:00:00Z: incident 7\n' +
      'standing  Override (exactly 40) by ben until 2026-11-20T13:00:00Z: a sale\n' +
      'forced    against guardrail bounds: no more than 20\n',
  );
});

it.each([
  {
    signatures: [{ status: 'Verified', signer: 'ann@example.com', reason: null }],
    want: 'Verified by ann@example.com',
  },
  {
    signatures: [{ status: 'Unsigned', signer: null, reason: 'no signature' }],
    want: 'Unsigned: no signature',
  },
  { signatures: [], want: undefined },
])('says of the commit what the check of its signature found: $want', ({ signatures, want }) => {
  const revision = {
    commit: decision.commit,
    ...{ outcome: 'Active', message: '', fetchedAt: decision.time, finishedAt: decision.time },
    details: { signatures },
  } as unknown as NonNullable<Parameters<typeof showBlame>[0]['revision']>;
  const text = showBlame({ decision, version: null, ...nothing, revision, intents: [], outcomes: [] });
  expect(/^ {2}signature (.*)$/m.exec(text)?.[1]).toBe(want);
});
