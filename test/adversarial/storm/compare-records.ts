import { controllerManager, type ReplicaWrite } from './replica-record.ts';

/** A ScalingEvent of the ledger. */
export interface RecordedChange {
  readonly workload: string;
  readonly origin: 'Plimsoll' | 'External';
  readonly manager: string | null;
  readonly from: number;
  readonly to: number;
  /**
   * Writes of the controller since the event before, of which the ledger says `Overtaken`: their answer was lost, and by
   * the time that it could look the target had changed. `NotApplied` is none of them: that the write was not made is certain.
   */
  readonly unmade: readonly UnmadeWrite[];
}

/** A write that was announced, and failed as `Overtaken`. */
export interface UnmadeWrite {
  readonly from: number;
  readonly to: number;
}

/** What the comparison of one workload's two records found. */
export interface RecordComparison {
  /** Sentences; none: the records agree. */
  readonly differences: readonly string[];
  /** Changes of others that one event stands for, since the controller saw only their sum. */
  readonly merged: number;
}

/**
 * Holds the ledger against the API server's own record, in order. Each write of the controller has exactly one event.
 * Others' writes have one event each, or one for several in a row that the controller could only see the sum of; a row
 * that ends where it began leaves no trace where nothing was watching.
 * A write of the controller's own is part of such a row only where the ledger has its intent, and that it was not made or
 * was undone unseen.
 */
export function compareRecords(
  writes: readonly ReplicaWrite[],
  events: readonly RecordedChange[],
): RecordComparison {
  const differences: string[] = [];
  let merged = 0;
  let next = 0;
  for (const event of events) {
    const taken = matchEvent(writes, next, event);
    if (taken === undefined) {
      differences.push(
        `${event.workload}: no writes from #${next} on give the event ${describe(event)}; there: ${describeAll(writes.slice(next, next + 6))}`,
      );
      return { differences, merged };
    }
    merged += taken.merged;
    next = taken.next;
  }
  const rest = writes.slice(next);
  if (rest.length > 0 && !returnsToItsStart(rest, []))
    differences.push(`${rest[0]?.workload ?? ''}: writes without an event: ${describeAll(rest)}`);
  return { differences, merged };
}

function matchEvent(
  writes: readonly ReplicaWrite[],
  from: number,
  event: RecordedChange,
): { readonly next: number; readonly merged: number } | undefined {
  for (let start = from; start < writes.length; start += 1) {
    if (start > from && !returnsToItsStart(writes.slice(from, start), event.unmade)) continue;
    const end = endOfMatch(writes, start, event);
    if (end !== undefined) return { next: end, merged: end - from - 1 };
    const write = writes[start];
    if (write !== undefined && isKnownOwn(write, event.unmade)) return undefined;
  }
  return undefined;
}

/** Where the run of writes ends that the event stands for; the shortest wins. */
function endOfMatch(
  writes: readonly ReplicaWrite[],
  start: number,
  event: RecordedChange,
): number | undefined {
  const first = writes[start];
  if (first?.from !== event.from) return undefined;
  if (event.origin === 'Plimsoll')
    return first.manager === controllerManager && first.to === event.to ? start + 1 : undefined;
  const own = writes.findIndex((write, index) => index >= start && isKnownOwn(write, event.unmade));
  const foreign = writes.slice(start, own === -1 ? undefined : own);
  const last = foreign.findIndex((write) => isEndOf(write, event));
  return last === -1 ? undefined : start + last + 1;
}

function isEndOf({ to, manager }: ReplicaWrite, event: RecordedChange): boolean {
  return to === event.to && (event.manager === null || event.manager === manager);
}

/** A write of the controller that has an event of its own. */
function isKnownOwn({ manager, from, to }: ReplicaWrite, unmade: readonly UnmadeWrite[]): boolean {
  return manager === controllerManager && !unmade.some((write) => write.from === from && write.to === to);
}

function returnsToItsStart(writes: readonly ReplicaWrite[], unmade: readonly UnmadeWrite[]): boolean {
  const isForeign = writes.every((write) => !isKnownOwn(write, unmade));
  return isForeign && writes[0]?.from === writes.at(-1)?.to;
}

function describe({ from, to, manager }: RecordedChange | ReplicaWrite): string {
  return `${from} → ${to} by ${manager ?? 'unknown'}`;
}

function describeAll(writes: readonly ReplicaWrite[]): string {
  return writes.length === 0 ? 'nothing' : writes.map(describe).join(', ');
}
