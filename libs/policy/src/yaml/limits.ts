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

/** Values nest no deeper in anything that Kubernetes takes; readers call themselves. */
export const maximumDepth = 100;
