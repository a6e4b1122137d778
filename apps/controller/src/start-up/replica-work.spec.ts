import { describe, expect, it } from '@jest/globals';
import { leaderWork, shardWork } from './replica-work.ts';
import type { StartStep } from './start-step.ts';

describe('the work under the scope of a shard', () => {
  const aWork = (given: Promise<void>) => {
    const calls: string[] = [];
    const note = (call: string, result = Promise.resolve()): Promise<void> => {
      calls.push(call);
      return result;
    };
    const work = shardWork(3, {
      loop: {
        take: (...shards) => note(`take ${shards.join(' ')}`),
        giveUp: (shard) => note(`give up ${shard}`, given),
      },
      series: {
        leave: (shard) => note(`series ${shard}`, Promise.reject(new Error('the database is away'))),
      },
      brake: { leave: (shard) => void calls.push(`losses ${shard}`) },
    });
    return { calls, work };
  };

  it('takes its policies, and ends their passes before the rows of their series are stored', async () => {
    const { calls, work } = aWork(Promise.resolve());
    await work.begin(new AbortController().signal);
    await work.end();
    expect(calls).toEqual(['take 3', 'give up 3', 'losses 3', 'series 3']);
  });

  it('says that a write is unanswered', async () => {
    const { calls, work } = aWork(Promise.reject(new Error('writes were sent and not answered')));
    await expect(work.end()).rejects.toThrow('not answered');
    expect(calls).toEqual(['give up 3', 'losses 3', 'series 3']);
  });
});

describe("the work under the leader's scopes", () => {
  const aWork = (failing?: string) => {
    const calls: string[] = [];
    const steps = ['policies', 'settings', 'sources'].map((name): StartStep => ({
      name,
      open: () => {
        calls.push(`open ${name}`);
        if (name === failing) throw new Error(`${name} failed`);
      },
      close: () => Promise.resolve(void calls.push(`close ${name}`)),
    }));
    return { calls, work: leaderWork(steps) };
  };

  it('begins what one replica does for all in its order, and ends it in reverse', async () => {
    const { calls, work } = aWork();
    await work.begin(new AbortController().signal);
    await work.end();
    expect(calls.slice(0, 3)).toEqual(['open policies', 'open settings', 'open sources']);
    expect(calls.slice(3)).toEqual(['close sources', 'close settings', 'close policies']);
  });

  it('that cannot begin ends what has begun', async () => {
    const { calls, work } = aWork('settings');
    await expect(work.begin(new AbortController().signal)).rejects.toThrow('settings failed');
    expect(calls).toEqual(['open policies', 'open settings', 'close settings', 'close policies']);
    expect(work.hasEnded).toBe(false);
    await work.end();
    expect(work.hasEnded).toBe(true);
  });
});
