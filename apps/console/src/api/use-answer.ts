import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { AnyVariables } from 'urql';
import { useStore } from '../state/store.ts';
import { client } from './client.ts';
import { partOf } from './database-outage.ts';
import { type Problem, problemOf } from './problem.ts';
import { session } from './session.ts';
import type { TypedDocument } from './typed-document.ts';

/** What is known of a question. */
export interface Answer<R> {
  /** The newest answer; undefined: there was none yet. It stays when a later attempt fails. */
  readonly data: R | undefined;
  /** When it came, by `performance.now()`: no clock that is set can make it younger. */
  readonly receivedAt: number | undefined;
  /** Whether it lacks what the database would have had to answer, as `problem` says. */
  readonly isPart: boolean;
  /** Why the latest attempt failed; undefined: it did not. */
  readonly problem: Problem | undefined;
  /** It is asked once: it does not change any more, and so does not get stale. */
  readonly isLasting: boolean;
  /** An attempt is under way. */
  readonly isAsking: boolean;
  /** Asks at once, in the place of an attempt that is under way. */
  readonly refresh: () => void;
  /** Asks as soon as no attempt is under way. */
  readonly askAgain: () => void;
}

/** How a question is asked. */
export interface AnswerOptions {
  /** Asked again so often while the page is seen; 0: once. */
  readonly everySeconds?: number;
  /** Not asked for now. */
  readonly isPaused?: boolean;
  /** Shown at once to who comes back; not of a question about the present time, which nobody asks in these words again. */
  readonly isKept?: boolean;
  /** While the database is away, what the controller has in memory is shown: the page says of the rest that it is not known. */
  readonly takesParts?: boolean;
}

interface Known {
  readonly data: unknown;
  readonly isPart: boolean;
  readonly receivedAt: number;
}

/** Answers of pages that were left, so that going back shows at once what was known, with its age. */
const maximumKnown = 100;
const known = new Map<string, Known>();

/** A failed attempt is made again after so long, doubled each time up to the interval of the question. */
const firstRetryMilliseconds = 2_000;

const defaultSeconds = 15;

/** Of what changes seldom, or is told of when it does: younger than what is called stale. */
export const seldomSeconds = 45;

/** Asks a question, again and again, and keeps the newest answer with its age. */
export function useAnswer<R, V extends AnyVariables>(
  document: TypedDocument<R, V>,
  variables: V,
  { everySeconds = defaultSeconds, isPaused = false, isKept = true, takesParts = false }: AnswerOptions = {},
): Answer<R> {
  const key = `${document.text}\n${JSON.stringify(variables)}`;
  const latest = useRef(variables);
  useEffect(() => {
    latest.current = variables;
  });
  // Attempts without a session would count against the address.
  const { kind } = useStore(session);
  const isOff = isPaused || kind !== 'SignedIn';
  const [attempts, setAttempts] = useState(0);
  const polling = useRef<Polling | undefined>(undefined);
  const [state, setState] = useState<State>(() => startOf(key));
  if (state.key !== key) setState(startOf(key));

  useEffect(() => {
    if (isOff) return undefined;
    const started = poll(everySeconds, async (signal) => {
      setState((before) => (before.key === key ? { ...before, isAsking: true } : before));
      const result = await client.query<R, V>(document.text, latest.current, { fetchOptions: { signal } });
      if (signal.aborted) return true;
      const next = nextState(key, result, takesParts);
      if (isKept && next.known?.isPart === false) keep(key, next.known);
      setState((before) => ({
        ...next,
        known: next.known ?? (before.key === key ? before.known : undefined),
      }));
      return next.problem === undefined;
    });
    polling.current = started;
    return () => {
      polling.current = undefined;
      started.stop();
    };
  }, [key, everySeconds, isOff, attempts, document.text, isKept, takesParts]);

  const refresh = useCallback(() => setAttempts((count) => count + 1), []);
  const askAgain = useCallback(() => polling.current?.askAgain(), []);
  const isLasting = everySeconds === 0;
  return useMemo(
    () => ({ ...answerOf<R>(state, key), isLasting, refresh, askAgain }),
    [state, key, isLasting, refresh, askAgain],
  );
}

interface State {
  readonly key: string;
  readonly known: Known | undefined;
  readonly problem: Problem | undefined;
  readonly isAsking: boolean;
}

function startOf(key: string): State {
  return { key, known: known.get(key), problem: undefined, isAsking: true };
}

function answerOf<R>(state: State, key: string): Omit<Answer<R>, 'isLasting' | 'refresh' | 'askAgain'> {
  const current = state.key === key ? state : startOf(key);
  return {
    data: current.known?.data as R | undefined,
    isPart: current.known?.isPart ?? false,
    receivedAt: current.known?.receivedAt,
    problem: current.problem,
    isAsking: current.isAsking,
  };
}

type QueryResult = Awaited<ReturnType<typeof client.query>>;

function nextState(key: string, result: QueryResult, takesParts: boolean): State {
  const { error } = result;
  const data: unknown = error === undefined ? result.data : takesParts ? partOf(result) : undefined;
  const isPart = error !== undefined;
  const answer = isPart && data === undefined ? undefined : { data, isPart, receivedAt: performance.now() };
  return { key, known: answer, problem: isPart ? problemOf(error) : undefined, isAsking: false };
}

function keep(key: string, answer: Known): void {
  known.delete(key);
  known.set(key, answer);
  const [oldest] = known.keys();
  if (known.size > maximumKnown && oldest !== undefined) known.delete(oldest);
}

interface Polling {
  readonly askAgain: () => void;
  readonly stop: () => void;
}

/** Asks at once and then in the interval, while the page is seen; `ask` resolves to whether it was answered. */
function poll(everySeconds: number, ask: (signal: AbortSignal) => Promise<boolean>): Polling {
  const aborter = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let isUnderWay = false;
  let wanted = 0;
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    if (isUnderWay) return;
    isUnderWay = true;
    const asked = wanted;
    const isAnswered = await ask(aborter.signal).catch(() => false);
    isUnderWay = false;
    failures = isAnswered ? 0 : failures + 1;
    const interval = everySeconds === 0 ? Infinity : everySeconds * 1_000;
    const retry = firstRetryMilliseconds * 2 ** Math.min(failures - 1, 4);
    const next = wanted !== asked ? 0 : interval;
    const wait = isAnswered ? next : Math.min(retry, Math.max(firstRetryMilliseconds, interval));
    if (!aborter.signal.aborted && Number.isFinite(wait)) timer = setTimeout(onTime, wait);
  };
  const onTime = (): void => {
    if (document.visibilityState === 'visible') void run();
  };
  const onVisible = (): void => {
    if (document.visibilityState === 'visible' && everySeconds > 0) void run();
  };
  document.addEventListener('visibilitychange', onVisible);
  void run();
  return {
    askAgain: () => {
      wanted += 1;
      if (!isUnderWay) onTime();
    },
    stop: () => {
      aborter.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}
