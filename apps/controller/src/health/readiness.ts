/** One thing that must be so before the controller is ready. */
export interface ReadinessCheck {
  readonly name: string;
  /** undefined: ready; else what is missing, in a sentence. */
  readonly missing: () => string | undefined;
}

/** What `/readyz` answers. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: readonly { readonly name: string; readonly missing: string | null }[];
}

/** Asks every check. */
export function readinessOf(checks: readonly ReadinessCheck[]): Readiness {
  const answers = checks.map(({ name, missing }) => ({ name, missing: missing() ?? null }));
  return { ready: answers.every(({ missing }) => missing === null), checks: answers };
}
