/** What is read of a repository at most: a file beyond is an error or a warning, never a stall. */
export interface YamlLimits {
  /** Bytes a file. */
  readonly fileBytes: number;
  /** Documents a file; the items of a List count too. */
  readonly documents: number;
  /** Aliases that a document's value holds once all are expanded: `&a [*b, *b]` nests to a bomb. */
  readonly aliasExpansions: number;
}

export const defaultYamlLimits: YamlLimits = {
  fileBytes: 5 * 1024 * 1024,
  documents: 1000,
  aliasExpansions: 10_000,
};

/** What to do about a file of too many documents. */
export const documentsHint = 'split it, or raise limits.documentsPerFile of the source';

/** Values nest no deeper in anything that Kubernetes takes; readers call themselves. */
export const maximumDepth = 100;

/**
 * The values that a document's aliases stand for, together: they share one value in memory, but every reader visits
 * each. No policy has a hundredth of it.
 */
export const maximumAliasedValues = 100_000;

/** Maps that `<<` leads to from one map, all in all, for one field: they may merge each other in chains and diamonds. */
export const maximumMergedMaps = 1000;
