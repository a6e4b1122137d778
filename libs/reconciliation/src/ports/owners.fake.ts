import type { OwnersPort, OwnersQuery, OwnersReading } from './owners.port.ts';

/** Owners in memory: one answer for every query. */
export class FakeOwners implements OwnersPort {
  /** What the next lookups give. */
  reading: OwnersReading = [];
  /** What was asked, in order. */
  readonly queries: OwnersQuery[] = [];
  /** Whose filter caches were cleared, in order. */
  readonly cleared: string[] = [];

  resolveOwners(query: OwnersQuery): Promise<OwnersReading> {
    this.queries.push(query);
    return Promise.resolve(this.reading);
  }

  /** Nothing is watched: every owner is looked up. */
  listWatchedOwners(): undefined {
    return undefined;
  }

  clearFilterCache(policy: string): void {
    this.cleared.push(policy);
  }
}
