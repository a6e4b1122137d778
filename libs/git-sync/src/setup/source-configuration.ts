import type { JsonObject } from '#kernel';
import type { ReadContext } from '#policy';
import type { RepositoryOptions } from '#repository';
import type { FetchLimits, GitLocation, TrustedSigners } from '../ports/git.port.ts';

/** How commits of a source are verified. */
export interface VerifyOptions {
  /**
   * `FirstParent`: the first-parent line since the last verified and activated commit; `Every`: every commit since it;
   * `Head`: the wanted commit alone.
   */
  readonly line: 'Head' | 'FirstParent' | 'Every';
  readonly trusted: TrustedSigners;
}

/** The blast radius: held are more targets than both. */
export interface BlastRadius {
  readonly targets: number;
  readonly percent: number;
}

/** The brake of a source that sets none. */
export const defaultBlastRadius: BlastRadius = { targets: 10, percent: 10 };

/** A source as the controller's configuration names it, every default filled in. */
export interface SourceConfiguration {
  readonly location: GitLocation;
  readonly repository: RepositoryOptions;
  readonly verify?: VerifyOptions;
  /** Whether a forge can say who opened the pull requests of its commits. */
  readonly hasForge: boolean;
  readonly blastRadius: BlastRadius;
  readonly fetchLimits: FetchLimits;
  /** What policies may name: servers and recommender hosts. */
  readonly read: ReadContext;
}

/** The limits of a fetch that sets none: 2 GiB and 5 minutes. */
export const defaultFetchLimits: FetchLimits = { bytes: 2 * 1024 * 1024 * 1024, milliseconds: 5 * 60_000 };

/** What of a configuration decides what is in force: a change of it goes through the same approvals as a commit. */
export function configurationRecord(configuration: SourceConfiguration): JsonObject {
  const { location, repository, verify } = configuration;
  const { url, ref } = location;
  const { path, include, exclude, namespace, tenants, managed } = repository;
  return JSON.parse(
    JSON.stringify({
      url,
      ref,
      path,
      include,
      exclude,
      namespace: namespace ?? null,
      tenants,
      managed,
      verify: verify ?? null,
    }),
  ) as JsonObject;
}
