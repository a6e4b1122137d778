import { describe, expect, it } from '@jest/globals';
import { nextState, PendingWrite, type PendingWriteEvent, type PendingWriteState } from './pending-write.ts';

const write = { memoryIfWritten: { lastScaleTime: '2026-11-20T12:00:00.000Z' } } as const;
const policy = { namespace: 'shop', name: 'checkout' };
const intent = {
  kind: 'ScalingIntent',
  id: 'policy:shop/checkout#3',
  payload: {
    policy,
    target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout', uid: 'u' },
    from: 4,
    to: 6,
    reason: 'cpu above target',
    resourceVersion: '10',
    decision: null,
    commit: null,
  },
} as const;
const hpaIntent = {
  kind: 'ActuationIntent',
  id: 'policy:shop/checkout#4',
  payload: {
    policy,
    target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout', uid: 'u' },
    verb: 'Delete',
    specDigest: null,
    uid: 'h',
    resourceVersion: '12',
    reason: 'the policy was disabled',
    differences: [],
    drift: null,
    departures: [],
    adoptedFrom: null,
    decision: null,
    commit: null,
  },
} as const;
const hpa = { autoscaler: null, dropped: [] };
const scale = {
  uid: 'u',
  resourceVersion: '11',
  specReplicas: 6,
  statusReplicas: 4,
  selector: 'app=checkout',
};
const failure = { code: 'Forbidden', message: 'no' };

const states: Readonly<Record<PendingWriteState['kind'], PendingWriteState>> = {
  None: { kind: 'None' },
  Announced: { kind: 'Announced', write },
  Unlocated: { kind: 'Unlocated', write },
  Recorded: { kind: 'Recorded', write, intent },
  Sent: { kind: 'Sent', write, intent },
  Written: { kind: 'Written', write, intent, scale },
  HpaWritten: { kind: 'HpaWritten', write, intent: hpaIntent, hpa },
  Failed: { kind: 'Failed', write, intent, failure },
};
const events: Readonly<Record<PendingWriteEvent['kind'], PendingWriteEvent>> = {
  Announce: { kind: 'Announce', write },
  Withdraw: { kind: 'Withdraw' },
  Discover: { kind: 'Discover', write },
  Locate: { kind: 'Locate', intent },
  Record: { kind: 'Record', intent },
  Send: { kind: 'Send' },
  Succeed: { kind: 'Succeed', scale },
  SucceedHpa: { kind: 'SucceedHpa', hpa },
  Fail: { kind: 'Fail', failure },
  Resolve: { kind: 'Resolve' },
};

/** Every step that there is; all others are bugs. */
const protocol: Readonly<
  Record<PendingWriteState['kind'], Partial<Record<PendingWriteEvent['kind'], PendingWriteState['kind']>>>
> = {
  None: { Announce: 'Announced', Discover: 'Unlocated' },
  Announced: { Record: 'Recorded', Withdraw: 'None', Discover: 'Unlocated' },
  Unlocated: { Locate: 'Sent', Resolve: 'None' },
  Recorded: { Send: 'Sent', Fail: 'Failed' },
  Sent: { Succeed: 'Written', Fail: 'Failed', Resolve: 'None' },
  Written: { Resolve: 'None' },
  HpaWritten: { Resolve: 'None' },
  Failed: { Resolve: 'None' },
};

const rows = Object.values(states).flatMap((state) =>
  Object.values(events).map((event) => {
    const next = protocol[state.kind][event.kind];
    return { state, event, want: next === undefined ? null : states[next] };
  }),
);

describe('nextState', () => {
  it.each(rows)('$state.kind, $event.kind: $want.kind', ({ state, event, want }) => {
    expect(nextState(state, event)).toEqual(want);
  });
});

describe('the write of an HPA', () => {
  const sent = { kind: 'Sent', write, intent: hpaIntent } as const;

  it('ends as one of an HPA, and not as one of a scale', () => {
    expect(nextState(sent, events.SucceedHpa)).toEqual(states.HpaWritten);
    expect(nextState(sent, events.Succeed)).toBeNull();
  });
});

describe('PendingWrite', () => {
  it('keeps the memory of a write for a restart until the write is resolved', () => {
    const pending = new PendingWrite();
    const kept = [events.Announce, events.Record, events.Send, events.Succeed, events.Resolve].map(
      (event) => {
        pending.apply(event);
        return pending.memoryIfWritten;
      },
    );
    expect(kept).toEqual([...Array<unknown>(4).fill(write.memoryIfWritten), null]);
  });

  it('refuses a step that the protocol does not have, and stays as it is', () => {
    const pending = new PendingWrite();
    expect(() => pending.apply(events.Send)).toThrow('a write that is None cannot Send');
    expect(pending.state).toEqual(states.None);
  });
});
