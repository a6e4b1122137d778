import type { ControllerMode } from '#reconciliation';
import type { ModeInForce } from '../configuration/mode-in-force.ts';
import type { ControllerRole, Holdings } from '../coordination/holdings/holdings.ts';
import type { Leadership, ProcessMode } from '../coordination/shards/leadership.ts';
import type { Degradation, Degradations } from './degradations.ts';

/** One thing that must be so before the controller is ready. */
export interface ReadinessCheck {
  readonly name: string;
  /** A standby has read no policies, and could still take over. */
  readonly appliesTo: 'every role' | 'active';
  /** undefined: ready; else what is missing, in a sentence. */
  readonly missing: () => string | undefined;
  /** What is not as it should be, while that makes nothing unready, in a sentence; undefined, or absent: nothing. */
  readonly note?: () => string | undefined;
}

/** What `/readyz` answers. */
export interface ReadinessReport {
  readonly ready: boolean;
  readonly role: ControllerRole;
  /** Whether one process does everything, and why, or replicas share the work. */
  readonly mode: { readonly kind: ProcessMode; readonly reason: string | null };
  /** `Observe`: it decides and records, and writes nothing to the cluster. */
  readonly controllerMode: ControllerMode;
  /** What does not work, while the process can still answer. */
  readonly degraded: readonly Pick<Degradation, 'what' | 'since'>[];
  readonly checks: readonly {
    readonly name: string;
    readonly missing: string | null;
    readonly note: string | null;
  }[];
}

/** Whether the process can answer, and carry policies out or take over from who does. */
export class Readiness {
  readonly #fences: Pick<Holdings, 'role'>;
  readonly #leadership: Pick<Leadership, 'mode' | 'reason'>;
  readonly #controller: Pick<ModeInForce, 'mode'>;
  readonly #degradations: Pick<Degradations, 'list'>;
  readonly #checks: readonly ReadinessCheck[];

  constructor(options: {
    readonly fences: Pick<Holdings, 'role'>;
    readonly leadership: Pick<Leadership, 'mode' | 'reason'>;
    readonly controller: Pick<ModeInForce, 'mode'>;
    readonly degradations: Pick<Degradations, 'list'>;
    readonly checks: readonly ReadinessCheck[];
  }) {
    this.#fences = options.fences;
    this.#leadership = options.leadership;
    this.#controller = options.controller;
    this.#degradations = options.degradations;
    this.#checks = options.checks;
  }

  /** Asks every check that applies to the process's role. */
  report(): ReadinessReport {
    const { role } = this.#fences;
    const { mode: kind, reason } = this.#leadership;
    const checks = this.#checks
      .filter(({ appliesTo }) => appliesTo === 'every role' || role === 'active')
      .map(({ name, missing, note }) => ({ name, missing: missing() ?? null, note: note?.() ?? null }));
    // Probes are answered without authentication: addresses in messages are for who may view something.
    const degraded = this.#degradations.list().map(({ what, since }) => ({ what, since }));
    return {
      ready: checks.every(({ missing }) => missing === null),
      role,
      mode: { kind, reason },
      controllerMode: this.#controller.mode,
      degraded,
      checks,
    };
  }
}
