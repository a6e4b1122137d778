/**
 * The version of the rules. It is raised whenever the same input may give another decision, so that a replay can
 * distinguish a changed rule from a changed record.
 */
export const engineVersion = '1.6.0';

/** The version of the shapes of input and output. `v2` added the intervention `DryRun`. */
export const contractVersion = 'v2';

/** The versions that this engine reads: what `v1` may say, `v2` says with the same words and the same meaning. */
export const knownContractVersions: readonly string[] = ['v1', contractVersion];
