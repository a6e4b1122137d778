import type { EffectivePolicy } from '#policy';
import type { Memory } from './memory.ts';
import type { Observation } from './observation.ts';
import type { Settings } from './settings.ts';

/** Everything a decision depends on. */
export interface DecideInput {
  /** PolicyDefaults and guardrails already applied. */
  readonly policy: EffectivePolicy;
  readonly settings: Settings;
  readonly observation: Observation;
  readonly memory: Memory;
}

export type DecideInputErrorCode =
  'InvalidJson' | 'InvalidPolicy' | 'InvalidSettings' | 'InvalidObservation' | 'InvalidMemory';

/** Why a value is no input. `path` is a JSON Pointer into it, empty for the whole. */
export interface DecideInputError {
  readonly code: DecideInputErrorCode;
  readonly message: string;
  readonly path: string;
}
