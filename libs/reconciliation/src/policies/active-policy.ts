import type { JsonObject } from '#kernel';
import type { CommitReference } from '#ledger';
import type { EffectivePolicy } from '#policy';

export type { CommitReference };

/** Where an active policy was read: the answer to "who allowed it". */
export interface PolicyOrigin {
  /** The source's name in the configuration. */
  readonly source: string;
  readonly commit: CommitReference;
  /** The path in the repository. */
  readonly file: string;
  /** The line of the document, from 1. */
  readonly line: number;
}

/** A policy in force: what is decided with, what it was written as, and which commit allowed it. */
export interface ActivePolicy {
  readonly policy: EffectivePolicy;
  /** The document with PolicyDefaults applied, as the decision contract's `input.policy`; stored with every Decision. */
  readonly document: JsonObject;
  readonly origin: PolicyOrigin;
}
