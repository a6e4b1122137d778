import type { FleetPageQuery, FleetRowFragment } from './fleet.generated.ts';

/** A policy as the fleet shows it. */
export interface FleetRow extends FleetRowFragment {
  /** spec.replicas per minute of the last hour, oldest first; null: not known then. */
  readonly history: readonly (number | null)[];
}

/** Rows by `namespace/name`, in the order of the API. */
export type FleetRows = ReadonlyMap<string, FleetRow>;

/** A change of a count that was told. */
export interface ToldScaling {
  readonly time: string;
  readonly to: number;
  readonly policy: { readonly namespace: string; readonly name: string };
}

/** The name of a policy within the fleet. */
export function rowKey({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** Adds the rows of a page; one that was asked without histories has those that are known. */
export function addPage(rows: Map<string, FleetRow>, page: FleetPageQuery, known: FleetRows): void {
  for (const { node } of page.policies.edges) {
    const { recentReplicas, ...row } = node;
    const key = rowKey(row);
    rows.set(key, { ...row, history: recentReplicas ?? known.get(key)?.history ?? [] });
  }
}

/** The rows with counts that were told after they were loaded; what is older than the row changes nothing. */
export function withScalings(rows: FleetRows, scalings: Iterable<ToldScaling>): FleetRows {
  const next = new Map(rows);
  for (const { policy, time, to } of scalings) {
    const key = rowKey(policy);
    const row = next.get(key);
    if (row === undefined || (row.status !== null && row.status.time > time)) continue;
    const status = row.status === null ? null : { ...row.status, replicas: to };
    next.set(key, { ...row, status, history: [...row.history.slice(0, -1), to] });
  }
  return next;
}
