import { beforeEach, describe, expect, it } from '@jest/globals';
import { adminStream, type EntryQuery, LedgerWriter } from '#ledger';
import { InMemoryLedger, takeFence } from '#ledger/testing';
import { InterventionEnds } from './intervention-ends.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 24, 10, minute)).toISOString();

interface Action {
  readonly action?: string;
  readonly minute: number;
  readonly id?: string;
  readonly expires?: number;
  readonly outcome?: 'Accepted' | 'Refused';
  readonly actor?: string;
}

const action = ({ action: name = 'SuspendScaling', minute, id = 'one', expires = 40, ...of }: Action) => ({
  time: at(minute),
  payload: {
    actor: of.actor ?? 'ann',
    action: name,
    outcome: of.outcome ?? ('Accepted' as const),
    reason: 'a sale',
    arguments: { id, expires: at(expires), direction: 'Both', policy: 'shop/checkout' },
  },
});

describe('how the interventions ended that actions began', () => {
  let ledger: InMemoryLedger;
  let asked: EntryQuery[];
  let record: (...actions: readonly ReturnType<typeof action>[]) => Promise<unknown>;
  beforeEach(async () => {
    ledger = new InMemoryLedger();
    asked = [];
    const writer = new LedgerWriter({ port: ledger, fence: await takeFence(ledger.fences), cluster: 'test' });
    record = (...actions) =>
      writer.append({
        drafts: actions.map((each) => ({ ...each, stream: adminStream, kind: 'OperatorAction' })),
      });
  });

  const endsOf = (actions: readonly ReturnType<typeof action>[], now = 30) => {
    const entries = (query: EntryQuery) => {
      asked.push(query);
      return ledger.entries(query);
    };
    const ends = new InterventionEnds({ ledger: { entries }, clock: { now: () => at(now) } });
    return Promise.all(actions.map((each) => ends.find(each)));
  };

  const ended = { time: at(20), actor: 'bo', reason: 'a sale' };
  it.each([
    {
      name: 'by an operator before it expired',
      after: [action({ action: 'EndSuspension', minute: 20, actor: 'bo' })],
      want: ended,
    },
    { name: 'not, while it stands', after: [], want: null },
    {
      name: 'not by another one’s end, or by an end that was refused',
      after: [
        action({ action: 'EndSuspension', minute: 20, id: 'other' }),
        action({ action: 'EndSuspension', minute: 21, outcome: 'Refused' }),
      ],
      want: null,
    },
    {
      name: 'when it expired, where that is not recorded yet',
      after: [],
      now: 50,
      want: { time: at(40), actor: 'plimsoll', reason: null },
    },
  ])('$name', async ({ after, now, want }) => {
    const begun = action({ minute: 10 });
    await record(begun, ...after);
    expect(await endsOf([begun], now)).toEqual([want]);
  });

  it('are not asked for of what began none', async () => {
    const others = [
      action({ minute: 10, outcome: 'Refused' }),
      action({ minute: 11, action: 'EndSuspension' }),
    ];
    expect(await endsOf(others)).toEqual([null, null]);
    expect(asked).toEqual([]);
  });

  it('are found together where the interventions overlap', async () => {
    const begun = [
      action({ minute: 10 }),
      action({ minute: 12, id: 'two' }),
      action({ minute: 0, id: 'three', expires: 5 }),
    ];
    await record(...begun, action({ action: 'EndSuspension', minute: 20, id: 'two', actor: 'bo' }));
    expect(await endsOf(begun)).toEqual([null, ended, { time: at(5), actor: 'plimsoll', reason: null }]);
    expect(asked).toHaveLength(2);
  });
});
