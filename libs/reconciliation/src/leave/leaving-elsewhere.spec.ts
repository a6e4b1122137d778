import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../ports/clock.fake.ts';
import type { RecordedIntent } from '../runtime/pending-write.ts';
import { PolicyRuntime } from '../runtime/policy-runtime.ts';
import { anActivePolicy } from '../testing/a-policy.ts';
import { flushMicrotasks } from '../testing/a-world.ts';
import { LeavingElsewhere } from './leaving-elsewhere.ts';

type Ports = Parameters<LeavingElsewhere['look']>[0];

/** Policies that go on with targets of another process's policies, and a ledger that answers as a test says. */
function aLook(policies: number, answer: () => Promise<readonly []>) {
  const clock = new FakeClock();
  const elsewhere = new LeavingElsewhere();
  const runtimes = Array.from(
    { length: policies },
    (_, index) => new PolicyRuntime(anActivePolicy({ namespace: 'shop', name: `web-${index}` })),
  );
  for (const runtime of runtimes) {
    const policy = { namespace: 'shop', name: `former-${runtime.key}` };
    elsewhere.noteIntent({ payload: { policy } } as RecordedIntent, runtime, clock.monotonicMilliseconds());
  }
  const counts = { asked: 0, underWay: 0, most: 0 };
  const ask = async (): Promise<readonly []> => {
    counts.asked += 1;
    counts.underWay += 1;
    counts.most = Math.max(counts.most, counts.underWay);
    const answered = await answer();
    counts.underWay -= 1;
    return answered;
  };
  const ports = {
    clock,
    ledger: { pendingIntents: ask, policyStates: () => Promise.resolve([]) },
    scale: { cachedScale: () => undefined },
    log: { write: () => undefined },
  } as unknown as Ports;
  const waiting = (): number => runtimes.filter((runtime) => elsewhere.isAwaitedBy(runtime)).length;
  return { clock, counts, waiting, look: () => elsewhere.look(ports) };
}

describe('a look at what other processes are leaving', () => {
  it('asks for so many at once and in all, and goes on with the others in the next', async () => {
    const { counts, waiting, look } = aLook(1_000, () => Promise.resolve([]));
    expect([await look(), counts.asked, counts.most, waiting()]).toEqual([true, 512, 32, 488]);
    expect([await look(), counts.asked, counts.most, waiting()]).toEqual([true, 1_000, 32, 0]);
  });

  it('ends after some seconds where the ledger does not answer, and keeps the policies waiting', async () => {
    const { clock, counts, waiting, look } = aLook(100, () => new Promise(() => undefined));
    const looked = look();
    await flushMicrotasks();
    clock.advance(5_000);
    expect([await looked, counts.asked, waiting()]).toEqual([false, 32, 100]);
  });
});
