import type { JsonObject } from '#kernel';
import { adminStream, type LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { OperatorActionName } from '../requests/operator-action-name.ts';

/** An action that was refused, its arguments well-formed and short. */
export interface Refusal {
  readonly actor: string;
  /** The person behind the actor: what is allowed is one person's, whichever of its tokens it comes with. */
  readonly owner: string;
  readonly action: OperatorActionName;
  readonly arguments: JsonObject;
  /** Why it was refused. */
  readonly reason: string;
  /** Why it was asked for, in the actor's words; null: nothing was said. */
  readonly givenReason: string | null;
}

/** What refusals are recorded with. */
export interface RefusalRecorderOptions {
  readonly writer: Pick<LedgerWriter, 'append'>;
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
}

/** Equal refusals within this time are one entry. */
const foldMilliseconds = 600_000;

/** Refusals that are recorded of one caller at once; then one per two minutes, some 700 a day. */
const maximumBurst = 30;
const refillMilliseconds = 120_000;

/** Refusals that are remembered; beyond them the oldest is recorded again. */
const maximumRemembered = 1_000;

interface Allowance {
  readonly left: number;
  readonly time: number;
}

/**
 * Records refused actions in the ledger: equal ones once, and of one caller at most 60 in an hour, so that no caller
 * fills it. The next entry of a caller says how many were folded into it.
 */
export class RefusalRecorder {
  readonly #options: RefusalRecorderOptions;
  readonly #recorded = new Map<string, number>();
  readonly #allowances = new Map<string, Allowance>();
  /** Refusals of callers that no entry is of yet. */
  readonly #folded = new Map<string, number>();

  constructor(options: RefusalRecorderOptions) {
    this.#options = options;
  }

  /** What cannot be stored is not recorded: the action is refused all the same. */
  async record(refusal: Refusal): Promise<void> {
    const { owner, givenReason, ...recorded } = refusal;
    const words = givenReason === null ? {} : { givenReason };
    if (!this.#isNew(refusal) || !this.#isAllowed(owner)) {
      remember(this.#folded, owner, (this.#folded.get(owner) ?? 0) + 1);
      return;
    }
    const folded = this.#folded.get(owner);
    this.#folded.delete(owner);
    const { writer, clock } = this.#options;
    const given = folded === undefined ? refusal.arguments : { ...refusal.arguments, folded };
    await writer
      .append({
        drafts: [
          {
            stream: adminStream,
            kind: 'OperatorAction',
            time: clock.now(),
            payload: { ...recorded, ...words, arguments: given, outcome: 'Refused' },
          },
        ],
      })
      .catch(() => undefined);
  }

  /** Other words for it make it no other refusal. */
  #isNew(refusal: Refusal): boolean {
    const key = JSON.stringify({ ...refusal, givenReason: null });
    const now = this.#options.clock.monotonicMilliseconds();
    const last = this.#recorded.get(key);
    if (last !== undefined && now - last < foldMilliseconds) return false;
    remember(this.#recorded, key, now);
    return true;
  }

  #isAllowed(owner: string): boolean {
    const time = this.#options.clock.monotonicMilliseconds();
    const before = this.#allowances.get(owner) ?? { left: maximumBurst, time };
    const left = Math.min(maximumBurst, before.left + (time - before.time) / refillMilliseconds);
    if (left < 1) return false;
    remember(this.#allowances, owner, { left: left - 1, time });
    return true;
  }
}

/** Keeps the newest; providers of identities know more callers than are to be remembered. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maximumRemembered && oldest !== undefined) map.delete(oldest);
}
