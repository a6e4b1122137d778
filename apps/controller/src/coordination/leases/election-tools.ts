import type { LeasePort, LeaseTerms } from '#coordination';
import type { FencePort } from '#ledger';
import type { FieldLogger } from '../../logging/field-logger.ts';
import type { SharedSettings } from './shared-settings.ts';

/** The clocks and chances of elections; for tests. */
export interface ElectionClock {
  /** Milliseconds since some moment, never set back, also while the process is stopped. */
  elapsed(): number;
  /** RFC 3339, for people who look at a Lease. */
  now(): string;
  /** Resolves after so long, or rejects once the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

export type ElectionLeases = Omit<LeasePort, 'rehearse'>;

export type ElectionFences = Pick<FencePort, 'look' | 'takeElected' | 'take' | 'renew' | 'giveUp'>;

/** What every scope of a process is held with. */
export interface ElectionTools {
  /** New for each process: of its Leases and of its fences. */
  readonly identity: string;
  readonly leases: ElectionLeases;
  readonly fences: ElectionFences;
  readonly terms: LeaseTerms;
  /** Aborts when the process ends: nothing but what gives something up is worth waiting for then. */
  readonly ending: AbortSignal;
  readonly advertisedUrl: string;
  /** Of this release, for people; null: it is not known. */
  readonly version: string | null;
  /** By which this process works, and the other replicas are to work, too. */
  readonly settings: Pick<SharedSettings, 'text' | 'observe'>;
  readonly clock: ElectionClock;
  readonly logger: FieldLogger;
}

/** `given` as it is, getters too, and when the process ends: an address may be known only once the process listens. */
export function withEnding<T extends object>(
  given: T,
  ending: AbortSignal,
): Pick<ElectionTools, 'ending'> & T {
  const own = Object.getOwnPropertyDescriptors(given);
  return Object.defineProperties({ ending }, own) as Pick<ElectionTools, 'ending'> & T;
}
