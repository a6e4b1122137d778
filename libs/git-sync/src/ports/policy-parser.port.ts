import type { PolicyFile, PolicyFileSource } from '#policy';

/** What came of one file. */
export type ParsedFile =
  | { readonly kind: 'Parsed'; readonly file: PolicyFile }
  /** Its parsing was given up: it took too long or too much memory. `reason` ends a sentence. */
  | { readonly kind: 'Failed'; readonly reason: string };

/** Parses files, wherever that disturbs nobody. */
export interface PolicyParserPort {
  /** Batches that are worth asking for at once, at least 1; more would only wait. */
  readonly batchesAtOnce: number;
  /**
   * Parses a batch that {@link parseFiles} has cut. One answer a file, in their order: a file that cannot be parsed
   * fails alone.
   *
   * @throws AdapterError where it is closed, or too many batches wait already.
   */
  parse(batch: readonly PolicyFileSource[]): Promise<readonly ParsedFile[]>;
}
