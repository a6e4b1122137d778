import { contractVersion, type Decision, defaultSettings, engineVersion, type MetricReport } from '#decision';
import type { Result } from '#kernel';
import {
  type ActuationIntentPayload,
  adminStream,
  type AppendFailure,
  type ChainedEntry,
  chainEntries,
  type CommitReference,
  type DecisionPayload,
  type DraftOf,
  type EntryDraft,
  genesisHash,
  hashEntryOfFormat1,
  type PolicyKey,
  type PolicyState,
  policyStream,
  type ScalingEventPayload,
  type ScalingIntentPayload,
  sha256Hex,
  type StandingIntervention,
  type TargetReference,
} from '#ledger';

/** Boring valid things for the ledger's tests; what a test is about is given. */
export const checkout: PolicyKey = { namespace: 'shop', name: 'checkout' };

/** 2026-11-20T12:00:00Z and so many seconds, with milliseconds. */
export function timeAfter(seconds: number): string {
  return new Date(Date.parse('2026-11-20T12:00:00Z') + seconds * 1_000).toISOString();
}

export const aCommit: CommitReference = {
  hash: 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334',
  author: 'Ada <ada@example.org>',
  subject: 'Add checkout policy',
  time: '2026-11-20T11:00:00Z',
};

const aTarget: TargetReference = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: 'checkout',
  uid: 'uid-1',
};

export function aMetric(given: Partial<MetricReport> = {}): MetricReport {
  return {
    type: 'Resource',
    name: 'cpu',
    target: { type: 'Utilization', averageUtilization: 60 },
    current: { averageUtilization: 61, averageValue: '61m' },
    proposedReplicas: 4,
    error: null,
    pods: {
      considered: ['a'],
      ready: ['a'],
      unready: [],
      missing: [],
      ignored: [],
      filteredOut: [],
    },
    ...given,
  };
}

export function aDecision(given: Partial<Decision> = {}): Decision {
  return {
    time: timeAfter(0),
    policy: checkout,
    currentReplicas: 4,
    desiredReplicas: 4,
    action: 'None',
    reason: 'the count is right',
    selection: { requested: 'LabelSelector', effective: 'LabelSelector', fallback: null },
    metrics: [aMetric()],
    steps: [{ rule: 'tolerance', before: 4, after: 4, because: 'within 10 %' }],
    conditions: [
      {
        type: 'AbleToScale',
        status: 'True',
        reason: 'ReadyForNewScale',
        message: 'ready',
        lastTransitionTime: timeAfter(0),
      },
    ],
    ...given,
  };
}

export function aDecisionPayload(
  given: Partial<Decision> = {},
  around: Partial<DecisionPayload> = {},
): DecisionPayload {
  const decision = aDecision(given);
  return {
    policy: decision.policy,
    commit: aCommit,
    engineVersion,
    contractVersion,
    input: {
      policy: { kind: 'AutoscalingPolicy', metadata: { name: decision.policy.name } },
      settings: defaultSettings,
      observation: { time: decision.time, scale: { specReplicas: 4, statusReplicas: 4, selector: 'app=a' } },
      memory: {},
    },
    decision,
    ...around,
  };
}

export function aDecisionDraft(given: Partial<Decision> = {}): DraftOf<'Decision'> {
  const payload = aDecisionPayload(given);
  return { stream: policyStream(payload.policy), kind: 'Decision', time: payload.decision.time, payload };
}

export function anIntentDraft(
  given: Partial<ScalingIntentPayload> = {},
  time = timeAfter(1),
): DraftOf<'ScalingIntent'> {
  const payload: ScalingIntentPayload = {
    policy: checkout,
    target: aTarget,
    from: 4,
    to: 6,
    reason: 'cpu above target',
    resourceVersion: '100',
    decision: null,
    commit: aCommit,
    ...given,
  };
  return { stream: policyStream(payload.policy), kind: 'ScalingIntent', time, payload };
}

export function anEventDraft(
  given: Partial<ScalingEventPayload> = {},
  time = timeAfter(2),
): DraftOf<'ScalingEvent'> {
  const payload: ScalingEventPayload = {
    policy: checkout,
    target: aTarget,
    origin: 'Plimsoll',
    manager: null,
    from: 4,
    to: 6,
    reason: 'cpu above target',
    intent: null,
    decision: null,
    commit: aCommit,
    ...given,
  };
  return { stream: policyStream(payload.policy), kind: 'ScalingEvent', time, payload };
}

export function anActuationIntentDraft(): DraftOf<'ActuationIntent'> {
  return {
    stream: policyStream(checkout),
    kind: 'ActuationIntent',
    time: timeAfter(1),
    payload: anActuation,
  };
}

export function anActuationOutcomeDraft(intent: string): DraftOf<'ActuationOutcome'> {
  const payload = {
    ...anActuation,
    intent,
    result: 'Applied',
    resourceVersionAfter: '101',
    dropped: [],
    code: null,
    message: 'created',
  } as const;
  return { stream: policyStream(checkout), kind: 'ActuationOutcome', time: timeAfter(2), payload };
}

const anActuation: ActuationIntentPayload = {
  policy: checkout,
  target: aTarget,
  verb: 'Create',
  specDigest: 'a'.repeat(64),
  uid: null,
  resourceVersion: null,
  reason: 'there is none yet',
  differences: [],
  drift: null,
  departures: [],
  adoptedFrom: null,
  decision: null,
  commit: aCommit,
};

export function aState(policy: PolicyKey, given: Partial<PolicyState> = {}): PolicyState {
  return {
    policy,
    memory: { recommendations: [{ replicas: 4, time: timeAfter(0) }] },
    memoryIfWritten: null,
    openRun: null,
    lastDecision: null,
    strategy: null,
    account: null,
    contest: null,
    refusal: null,
    updatedAt: timeAfter(0),
    ...given,
  };
}

export function anActionDraft(
  actor = 'ada',
  time = timeAfter(0),
  given: Readonly<Record<string, string>> = {},
): DraftOf<'OperatorAction'> {
  const payload = {
    actor,
    action: 'SuspendScaling',
    outcome: 'Accepted',
    reason: 'x',
    arguments: given,
  } as const;
  return { stream: adminStream, kind: 'OperatorAction', time, payload };
}

export function aSuspension(id: string): StandingIntervention {
  return {
    id,
    scope: { kind: 'Policy', ...checkout },
    intervention: {
      kind: 'Suspend',
      direction: 'Down',
      reason: 'größer \u2028 "als"',
      actor: 'ada',
      since: timeAfter(0),
      expires: timeAfter(3_600),
    },
  };
}

/** The entries of an append that must have succeeded. */
export function appended(result: Result<readonly ChainedEntry[], AppendFailure>): readonly ChainedEntry[] {
  if (!result.ok) throw new Error(`append refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

/** The entries of one stream, chained as the releases before format 2 did. */
export function chainedInFormat1(drafts: readonly EntryDraft[]): readonly ChainedEntry[] {
  const chained = chainEntries({ cluster: 'test', heads: new Map(), drafts });
  if (!chained.ok) throw new Error(chained.error.message);
  let previousHash = genesisHash;
  return chained.value.entries.map((entry) => {
    const linked = { ...entry, format: 1, previousHash } as const;
    previousHash = hashEntryOfFormat1(linked, linked.payloadText, sha256Hex);
    return { ...linked, hash: previousHash };
  });
}
