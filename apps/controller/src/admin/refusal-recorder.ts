import type { JsonObject } from '#kernel';
import { adminStream, type LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';

/** The operator actions that the ledger knows. */
export type OperatorActionName =
  | 'SyncSource'
  | 'ApproveHold'
  | 'RejectHold'
  | 'ReleasePolicy'
  | 'RollBackSource'
  | 'ResumeSource'
  | 'SuspendScaling'
  | 'EndSuspension'
  | 'OverrideReplicas'
  | 'EndOverride'
  | 'EndIntervention'
  | 'CreateToken'
  | 'RevokeToken';

/** An action that was refused, its arguments well-formed and short. */
export interface Refusal {
  readonly actor: string;
  readonly action: OperatorActionName;
  readonly arguments: JsonObject;
  readonly reason: string;
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

/** Records refused actions in the ledger: equal ones once, and of one caller only so many, so that no caller fills it. */
export class RefusalRecorder {
  readonly #options: RefusalRecorderOptions;
  readonly #recorded = new Map<string, number>();
  /** Bounded by the configured tokens. */
  readonly #allowances = new Map<string, Allowance>();

  constructor(options: RefusalRecorderOptions) {
    this.#options = options;
  }

  /** What cannot be stored is not recorded: the action is refused all the same. */
  async record(refusal: Refusal): Promise<void> {
    if (!this.#isNew(refusal) || !this.#isAllowed(refusal.actor)) return;
    const { writer, clock } = this.#options;
    await writer
      .append({
        drafts: [
          {
            stream: adminStream,
            kind: 'OperatorAction',
            time: clock.now(),
            payload: { ...refusal, outcome: 'Refused' },
          },
        ],
      })
      .catch(() => undefined);
  }

  #isNew(refusal: Refusal): boolean {
    const key = JSON.stringify(refusal);
    const now = this.#options.clock.monotonicMilliseconds();
    const last = this.#recorded.get(key);
    if (last !== undefined && now - last < foldMilliseconds) return false;
    this.#recorded.delete(key);
    this.#recorded.set(key, now);
    const [oldest] = this.#recorded.keys();
    if (this.#recorded.size > maximumRemembered && oldest !== undefined) this.#recorded.delete(oldest);
    return true;
  }

  #isAllowed(actor: string): boolean {
    const time = this.#options.clock.monotonicMilliseconds();
    const before = this.#allowances.get(actor) ?? { left: maximumBurst, time };
    const left = Math.min(maximumBurst, before.left + (time - before.time) / refillMilliseconds);
    if (left < 1) return false;
    this.#allowances.set(actor, { left: left - 1, time });
    return true;
  }
}
