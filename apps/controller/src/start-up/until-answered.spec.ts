import { describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { untilAnswered } from './until-answered.ts';

const silent = new AdapterError({ code: 'Timeout', message: 'no answer within 5 s', retryable: true });
const takenOver = new AdapterError({ code: 'Fenced', message: 'taken over', retryable: true });
const refused = new AdapterError({ code: 'Forbidden', message: 'no rights', retryable: false });

/** Answers in this order, by a clock that jumps to what is scheduled. */
async function ask(
  answers: readonly (AdapterError | null)[],
  { signal = new AbortController().signal, milliseconds = 3_000 } = {},
) {
  const clock = { now: 0 };
  const said: unknown[] = [];
  let asked = 0;
  const options = {
    of: 'database',
    signal,
    milliseconds,
    clock: {
      monotonicMilliseconds: () => clock.now,
      schedule: (milliseconds: number, callback: () => void) => {
        clock.now += milliseconds;
        queueMicrotask(callback);
        return () => undefined;
      },
    },
    logger: {
      info: (fields: object, message: string) => void said.push([fields, message]),
      warn: (fields: object, message: string) => void said.push([fields, message]),
    },
  };
  const error = await untilAnswered(() => {
    const answer = answers[asked] ?? null;
    asked += 1;
    return answer === null ? Promise.resolve() : Promise.reject(answer);
  }, options).then(
    () => null,
    (reason: unknown) => reason,
  );
  return { asked, said, error };
}

describe('a question of a start', () => {
  it('is asked again while no answer comes, which is said once, and when one has', async () => {
    const { asked, said, error } = await ask([silent, silent, null]);
    expect([asked, error]).toEqual([3, null]);
    expect(said).toEqual([
      [{ of: 'database', reason: 'no answer within 5 s' }, 'the start waits for an answer'],
      [{ of: 'database' }, 'what the start waited for has answered'],
    ]);
  });

  it('is asked for as long as it takes where nothing limits it, which is said once a minute', async () => {
    const ever = Array.from({ length: 150 }, () => silent);
    const { asked, said, error } = await ask([...ever, null], { milliseconds: Infinity });
    expect([asked, error]).toEqual([151, null]);
    expect(said).toHaveLength(4);
  });

  it('is given up in the end, and at once where the answer is no', async () => {
    const ever = Array.from({ length: 10 }, () => silent);
    expect(await ask(ever)).toMatchObject({ asked: 4, error: silent });
    expect(await ask([silent, refused, null])).toMatchObject({ asked: 2, error: refused });
    expect(await ask([silent, takenOver, null])).toMatchObject({ asked: 2, error: takenOver });
  });

  it('is not asked again by a process that is to end', async () => {
    const reason = new Error('the controller is ending');
    expect(await ask([silent, null], { signal: AbortSignal.abort(reason) })).toMatchObject({
      asked: 1,
      error: reason,
    });
  });
});
