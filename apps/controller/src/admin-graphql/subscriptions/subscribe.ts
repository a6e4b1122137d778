import { createSourceEventStream, execute, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Turns } from './turns.ts';

/** What each event of a subscription is executed with. */
export interface EventExecution {
  /** Executes what many subscribers ask of one event once. */
  readonly shared: SharedAnswers;
  /** What of an answer depends on the subscriber: the operation with its variables, and who asks as of now. */
  readonly keyOf: () => string;
  /** Of one event: it counts what its answer holds. */
  readonly contextOf: () => object;
  readonly turns: Turns;
}

/**
 * Subscribes, and executes the operation for each event as it is read: with a context of its own, and in its turn. Unlike
 * `subscribe` of graphql, whose events share one context and are all executed at once.
 */
export async function subscribe(
  args: ExecutionArgs,
  execution: EventExecution,
): Promise<ExecutionResult | AsyncGenerator<ExecutionResult, undefined>> {
  const events = await createSourceEventStream(args);
  return Symbol.asyncIterator in events ? new Answers(args, execution, events) : events;
}

type Answer = IteratorResult<ExecutionResult, undefined>;

/** No generator function: one that waits for an event could not be ended. */
class Answers implements AsyncGenerator<ExecutionResult, undefined> {
  readonly #args: ExecutionArgs;
  readonly #execution: EventExecution;
  readonly #events: AsyncIterator<unknown>;

  constructor(args: ExecutionArgs, execution: EventExecution, events: AsyncIterable<unknown>) {
    this.#args = args;
    this.#execution = execution;
    this.#events = events[Symbol.asyncIterator]();
  }

  async next(): Promise<Answer> {
    const event = await this.#events.next();
    if (event.done === true) return { value: undefined, done: true };
    await this.#execution.turns.take();
    const { shared, keyOf, contextOf } = this.#execution;
    const value = await shared.of(event.value, keyOf(), () =>
      execute({ ...this.#args, rootValue: event.value, contextValue: contextOf() }),
    );
    return { value, done: false };
  }

  async return(): Promise<Answer> {
    await this.#events.return?.();
    return { value: undefined, done: true };
  }

  async throw(error: unknown): Promise<Answer> {
    await this.#events.return?.();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}

/** The answers to events, by what is asked of them. An event takes its answers with it. */
export class SharedAnswers {
  readonly #answers = new WeakMap<object, Map<string, ExecutionResult | Promise<ExecutionResult>>>();

  /** What was executed for the event under the key before, or is executed now. */
  of(
    event: unknown,
    key: string,
    run: () => ExecutionResult | Promise<ExecutionResult>,
  ): ExecutionResult | Promise<ExecutionResult> {
    if (typeof event !== 'object' || event === null) return run();
    const answers = this.#answers.get(event) ?? new Map<string, ExecutionResult | Promise<ExecutionResult>>();
    this.#answers.set(event, answers);
    const answer = answers.get(key) ?? run();
    answers.set(key, answer);
    return answer;
  }
}
