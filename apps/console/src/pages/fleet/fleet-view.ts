import { severityOf, severityRank, sortedStates } from '../../components/states/state-severity.ts';
import type { ShownState } from '../../messages/states.ts';
import type { FleetRow } from './fleet-rows.ts';

export const groupings = ['none', 'namespace', 'label', 'source', 'state'] as const;
export type Grouping = (typeof groupings)[number];

export const orders = ['name', 'state', 'load', 'age'] as const;
export type Order = (typeof orders)[number];

/** What of the fleet is looked at; all of it is in the address. */
export interface FleetView {
  readonly search: string;
  readonly namespace: string;
  readonly source: string;
  readonly states: readonly ShownState[];
  /** The value of the label that rows are to have; empty: any, or none. */
  readonly labelled: string;
  readonly grouping: Grouping;
  readonly order: Order;
  /** The label that rows are grouped by, narrowed to and found by. */
  readonly label: string;
}

/** What another view follows from the one that there is. */
export type ViewChange = (view: FleetView) => FleetView;

/** Rows of one group; the name is empty where nothing is grouped. */
export interface FleetGroup {
  readonly name: string;
  readonly rows: readonly FleetRow[];
}

/** The rows that are looked at, in groups and in order. */
export function viewFleet(rows: readonly FleetRow[], view: FleetView): readonly FleetGroup[] {
  const words = view.search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter((row) => isWanted(row, view, words)).toSorted(comparisons[view.order]);
  if (view.grouping === 'none') return found.length === 0 ? [] : [{ name: '', rows: found }];
  const groups = Map.groupBy(found, (row) => groupOf(row, view.grouping));
  return [...groups]
    .map(([name, members]) => ({ name, rows: members }))
    .toSorted((left, right) => compareGroups(left.name, right.name, view.grouping));
}

/** What is said of a row, the most pressing first; empty: it is steady. */
export function shownStates({ states, status }: FleetRow): readonly ShownState[] {
  if (status === null) return sortedStates([...states, 'NotEvaluated']);
  return sortedStates(states);
}

/** How many rows each state is said of; those of none are not in it. */
export function countStates(rows: readonly FleetRow[]): ReadonlyMap<ShownState, number> {
  const counts = new Map<ShownState, number>();
  for (const row of rows)
    for (const state of shownStates(row)) counts.set(state, (counts.get(state) ?? 0) + 1);
  return new Map([...counts].toSorted(([left], [right]) => severityRank(left) - severityRank(right)));
}

function isWanted(row: FleetRow, view: FleetView, words: readonly string[]): boolean {
  if (view.namespace !== '' && row.namespace !== view.namespace) return false;
  if (view.source !== '' && row.origin.source !== view.source) return false;
  if (view.labelled !== '' && row.label !== view.labelled) return false;
  if (view.states.length > 0 && !view.states.every((state) => shownStates(row).includes(state))) return false;
  const name = `${row.namespace}/${row.name} ${row.label ?? ''}`.toLowerCase();
  return words.every((word) => name.includes(word));
}

function groupOf(row: FleetRow, grouping: Grouping): string {
  switch (grouping) {
    case 'namespace':
      return row.namespace;
    case 'label':
      return row.label ?? '';
    case 'source':
      return row.origin.source;
    case 'state':
      return shownStates(row)[0] ?? '';
    case 'none':
      return '';
  }
}

/** By name, those without one last; states with the most pressing first. */
function compareGroups(left: string, right: string, grouping: Grouping): number {
  // The names of its groups are states.
  if (grouping === 'state')
    return difference(rankOf(left as ShownState | ''), rankOf(right as ShownState | ''));
  if (left === '' || right === '') return left === '' ? 1 : -1;
  return compareTexts(left, right);
}

const quietest = Infinity;

function rankOf(state: ShownState | ''): number {
  return state === '' ? quietest : severityRank(state);
}

type Comparison = (left: FleetRow, right: FleetRow) => number;

const byName: Comparison = (left, right) =>
  compareTexts(left.namespace, right.namespace) || compareTexts(left.name, right.name);

const comparisons: Readonly<Record<Order, Comparison>> = {
  name: byName,
  state: (left, right) =>
    difference(rankOf(shownStates(left)[0] ?? ''), rankOf(shownStates(right)[0] ?? '')) ||
    byName(left, right),
  load: (left, right) => difference(loadOf(right), loadOf(left)) || byName(left, right),
  age: (left, right) =>
    compareTexts(left.status?.time ?? '', right.status?.time ?? '') || byName(left, right),
};

/** Infinity less itself is not a number. */
function difference(left: number, right: number): number {
  return left === right ? 0 : left - right;
}

/** How much of its bounds a policy uses: 1 is its maximum. */
function loadOf({ status, inForce: { maxReplicas } }: FleetRow): number {
  return maxReplicas === 0 ? 0 : (status?.replicas ?? 0) / maxReplicas;
}

/** By code units: ten thousand names are compared often, and are ASCII. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Whether a policy wants somebody to look at it; what somebody has done to it does not. */
export function isTroubled(row: FleetRow): boolean {
  return shownStates(row).some((state) => wanting.has(severityOf(state)));
}

const wanting: ReadonlySet<string> = new Set(['critical', 'attention']);
