import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { session } from '../../api/session.ts';
import type { Answer } from '../../api/use-answer.ts';
import { useEvents } from '../../api/use-events.ts';
import { createStore, type Store, useStore } from '../../app/store.ts';
import {
  FleetPageDocument,
  type FleetPageQuery,
  type FleetPageQueryVariables,
  FleetScalingsDocument,
} from './fleet.generated.ts';
import { type FleetRow, type FleetRows, type ToldScaling, withPage, withScalings } from './fleet-rows.ts';

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

/** What was known of the fleet when its page was left, by the label that it was asked with. */
const stores = new Map<string, Store<FleetState>>();

function storeOf(label: string): Store<FleetState> {
  const known = stores.get(label) ?? createStore(nothing);
  stores.set(label, known);
  return known;
}

/** The whole fleet: loaded page by page, read again and again, and kept up to date by what is told meanwhile. */
export interface Fleet extends Omit<Answer<unknown>, 'data'> {
  readonly data: FleetRows | undefined;
  readonly rows: readonly FleetRow[];
  /** Every page was read at least once. */
  readonly isComplete: boolean;
}

/** All policies that the caller may see, with the label of the given name. */
export function useFleet(label: string): Fleet {
  const store = storeOf(label);
  const state = useStore(store);
  const { kind } = useStore(session);
  const [attempts, setAttempts] = useState(0);
  useEffect(() => (kind === 'SignedIn' ? follow(store, label) : undefined), [store, label, kind, attempts]);
  useScalings(store);
  const refresh = useCallback(() => setAttempts((count) => count + 1), []);
  const rows = useMemo(() => [...state.rows.values()], [state.rows]);
  const { receivedAt, problem, isAsking, isComplete } = state;
  const data = receivedAt === undefined ? undefined : state.rows;
  return { data, rows, receivedAt, problem, isAsking, isComplete, refresh };
}

function useScalings(store: Store<FleetState>): void {
  const told = useRef<ToldScaling[]>([]);
  useEvents(FleetScalingsDocument, {}, ({ scalingEvents }) => void told.current.push(scalingEvents));
  useEffect(() => {
    const timer = setInterval(() => {
      const scalings = told.current.splice(0);
      if (scalings.length === 0) return;
      const before = store.get();
      store.set({ ...before, rows: withScalings(before.rows, scalings) });
    }, flushMilliseconds);
    return () => clearInterval(timer);
  }, [store]);
}

/** Reads the fleet in rounds until it is told to stop. */
function follow(store: Store<FleetState>, label: string): () => void {
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
    const problem = await readAll(store, { label, withHistory, signal });
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

interface Reading {
  readonly label: string;
  readonly withHistory: boolean;
  readonly signal: AbortSignal;
}

/** One round over all pages. What has left the fleet leaves the rows at its end. */
async function readAll(store: Store<FleetState>, reading: Reading): Promise<Problem | undefined> {
  store.set({ ...store.get(), isAsking: true });
  const isFirst = !store.get().isComplete;
  let rows: FleetRows = new Map();
  let after: string | null = null;
  for (let page = 0; ; page += 1) {
    const result = await readPage(after, reading);
    if (reading.signal.aborted) return undefined;
    if (result.kind === 'Problem') {
      store.set({ ...store.get(), problem: result.problem, isAsking: false });
      return result.problem;
    }
    rows = withPage(withKnownHistories(rows, result.data, store.get().rows), result.data);
    const next = nextCursor(result.data);
    if (next === null || (isFirst && isShownAt(page))) {
      store.set({
        rows,
        isComplete: next === null || !isFirst,
        receivedAt: performance.now(),
        problem: undefined,
        isAsking: next !== null,
      });
    }
    if (next === null) return undefined;
    after = next;
  }
}

function nextCursor({ policies: { pageInfo } }: FleetPageQuery): string | null {
  return pageInfo.hasNextPage ? pageInfo.endCursor : null;
}

function isShownAt(page: number): boolean {
  return page < shownAtOnce || page % shownEvery === 0;
}

/** The rows with what is known of the histories of a page that was asked without them. */
function withKnownHistories(rows: FleetRows, page: FleetPageQuery, known: FleetRows): FleetRows {
  const next = new Map(rows);
  for (const { node } of page.policies.edges) {
    const key = `${node.namespace}/${node.name}`;
    const before = known.get(key);
    if (before !== undefined && node.recentReplicas === undefined) next.set(key, before);
  }
  return next;
}

type PageResult =
  | { readonly kind: 'Page'; readonly data: FleetPageQuery }
  | { readonly kind: 'Problem'; readonly problem: Problem };

async function readPage(after: string | null, { label, withHistory, signal }: Reading): Promise<PageResult> {
  const variables = { first: pageSize, after, label, withHistory };
  const { data, error } = await client.query<FleetPageQuery, FleetPageQueryVariables>(
    FleetPageDocument.text,
    variables,
    { fetchOptions: { signal } },
  );
  if (data !== undefined && error === undefined) return { kind: 'Page', data };
  const problem: Problem =
    error === undefined ? { kind: 'Broken', message: 'The answer was empty.' } : problemOf(error);
  return { kind: 'Problem', problem };
}
