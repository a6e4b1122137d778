/** Why something could not be observed: `{error: {reason, message}}` of the decision contract. */
export interface ReadFailure {
  /** Upstream's reason, PascalCase. */
  readonly reason: string;
  readonly message: string;
}
