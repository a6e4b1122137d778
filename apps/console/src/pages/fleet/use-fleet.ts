import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { emptyAnswer, type Problem, problemOf } from '../../api/problem.ts';
import { session } from '../../api/session.ts';
import type { Answer } from '../../api/use-answer.ts';
import { useEvents } from '../../api/use-events.ts';
import { createStore, type Store, useStore } from '../../state/store.ts';
import {
  FleetPageDocument,
  type FleetPageQuery,
  type FleetPageQueryVariables,
  FleetScalingsDocument,
} from './fleet.generated.ts';
import {
  addPage,
  type FleetRow,
  type FleetRows,
  rowKey,
  type ToldScaling,
  withScalings,
} from './fleet-rows.ts';

/** The API's largest page. */
const pageSize = 100;

/** The fleet is read again after so long, and never more than a tenth of the time: 10,000 policies are 100 pages. */
const refreshMilliseconds = 10_000;
const idlePerBusy = 9;

/** Histories are to the minute. */
const historyMilliseconds = 60_000;

/** Events are shown together: 200 a second are not 200 renderings. */
const flushMilliseconds = 500;

/** While the first rows come, the page shows them; later pages of a large fleet some at a time. */
const shownAtOnce = 3;
const shownEvery = 10;

interface FleetState {
  readonly rows: FleetRows;
  readonly isComplete: boolean;
  readonly receivedAt: number | undefined;
  readonly problem: Problem | undefined;
  readonly isAsking: boolean;
}

const nothing: FleetState = {
  rows: new Map(),
  isComplete: false,
  receivedAt: undefined,
  problem: undefined,
  isAsking: true,
};

/** The fleet as it was read, and what was told since: the latest scaling of each policy, however many there are. */
interface FleetStore extends Store<FleetState> {
  /** While a round of reading is under way, whose pages may be older; otherwise empty. */
  readonly toldInRound: Map<string, ToldScaling>;
}

/** What was known of the fleet when its page was left. */
let known: { readonly label: string; readonly store: FleetStore } | undefined;

/** The fleet asked with a label; of those that were asked with another, ten thousand rows each, none is kept. */
function storeOf(label: string): FleetStore {
  if (known?.label !== label)
    known = { label, store: { ...createStore(nothing), toldInRound: new Map<string, ToldScaling>() } };
  return known.store;
}

/** The whole fleet: loaded page by page, read again and again, and kept up to date by what is told meanwhile. */
export interface Fleet extends Omit<Answer<unknown>, 'data' | 'isPart' | 'isLasting' | 'askAgain'> {
  readonly data: FleetRows | undefined;
  readonly rows: readonly FleetRow[];
  /** Every page was read at least once. */
  readonly isComplete: boolean;
}

/** All policies that the caller may see, with the label of the given name; with conditions, which say since when. */
export function useFleet(label: string, withConditions: boolean): Fleet {
  const store = storeOf(label);
  const state = useStore(store);
  const { kind } = useStore(session);
  const [attempts, setAttempts] = useState(0);
  useEffect(
    () => (kind === 'SignedIn' ? follow(store, { label, withConditions }) : undefined),
    [store, label, withConditions, kind, attempts],
  );
  useScalings(store);
  const refresh = useCallback(() => setAttempts((count) => count + 1), []);
  const rows = useMemo(() => [...state.rows.values()], [state.rows]);
  const { receivedAt, problem, isAsking, isComplete } = state;
  const data = receivedAt === undefined ? undefined : state.rows;
  return { data, rows, receivedAt, problem, isAsking, isComplete, refresh };
}

function useScalings(store: FleetStore): void {
  const told = useRef(new Map<string, ToldScaling>());
  useEvents(FleetScalingsDocument, {}, ({ scalingEvents }) => {
    told.current.set(rowKey(scalingEvents.policy), scalingEvents);
  });
  useEffect(() => {
    const timer = setInterval(() => {
      if (told.current.size === 0) return;
      const before = store.get();
      store.set({ ...before, rows: withScalings(before.rows, told.current.values()) });
      if (before.isAsking) for (const [key, scaling] of told.current) store.toldInRound.set(key, scaling);
      told.current.clear();
    }, flushMilliseconds);
    return () => clearInterval(timer);
  }, [store]);
}

/** Reads the fleet in rounds until it is told to stop. */
function follow(store: FleetStore, asked: Asked): () => void {
  const aborter = new AbortController();
  const { signal } = aborter;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let historyAt = -Infinity;
  const round = async (): Promise<void> => {
    if (document.visibilityState === 'hidden') {
      timer = setTimeout(() => void round(), refreshMilliseconds);
      return;
    }
    const started = performance.now();
    const withHistory = started - historyAt >= historyMilliseconds;
    const problem = await readAll(store, { ...asked, withHistory, signal });
    if (signal.aborted) return;
    if (problem === undefined && withHistory) historyAt = started;
    const busy = performance.now() - started;
    timer = setTimeout(() => void round(), Math.max(refreshMilliseconds, busy * idlePerBusy));
  };
  void round();
  return () => {
    aborter.abort();
    clearTimeout(timer);
  };
}

type Asked = Pick<Reading, 'label' | 'withConditions'>;

interface Reading {
  readonly label: string;
  readonly withConditions: boolean;
  readonly withHistory: boolean;
  readonly signal: AbortSignal;
}

/** One round over all pages. What has left the fleet leaves the rows at its end. */
async function readAll(store: FleetStore, reading: Reading): Promise<Problem | undefined> {
  store.set({ ...store.get(), isAsking: true });
  const isFirst = !store.get().isComplete;
  store.toldInRound.clear();
  const rows = new Map<string, FleetRow>();
  let after: string | null = null;
  for (let page = 0; ; page += 1) {
    const result = await readPage(after, reading);
    if (reading.signal.aborted) return undefined;
    if (result.kind === 'Problem') {
      store.set({ ...store.get(), problem: result.problem, isAsking: false });
      return result.problem;
    }
    addPage(rows, result.data, store.get().rows);
    const next = nextCursor(result.data);
    if (next === null || (isFirst && isShownAt(page))) {
      store.set({
        rows: withScalings(rows, store.toldInRound.values()),
        isComplete: next === null || !isFirst,
        receivedAt: performance.now(),
        problem: undefined,
        isAsking: next !== null,
      });
    }
    if (next === null) {
      store.toldInRound.clear();
      return undefined;
    }
    after = next;
  }
}

function nextCursor({ policies: { pageInfo } }: FleetPageQuery): string | null {
  return pageInfo.hasNextPage ? pageInfo.endCursor : null;
}

function isShownAt(page: number): boolean {
  return page < shownAtOnce || page % shownEvery === 0;
}

type PageResult =
  | { readonly kind: 'Page'; readonly data: FleetPageQuery }
  | { readonly kind: 'Problem'; readonly problem: Problem };

async function readPage(after: string | null, { signal, ...asked }: Reading): Promise<PageResult> {
  const variables = { first: pageSize, after, ...asked };
  const { data, error } = await client.query<FleetPageQuery, FleetPageQueryVariables>(
    FleetPageDocument.text,
    variables,
    { fetchOptions: { signal } },
  );
  if (data !== undefined && error === undefined) return { kind: 'Page', data };
  const problem: Problem = error === undefined ? emptyAnswer : problemOf(error);
  return { kind: 'Problem', problem };
}
