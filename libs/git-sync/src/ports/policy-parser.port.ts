import type { PolicyFile, PolicyFileSource } from '#policy';
import type { OverlayContent, OverlayFile } from '#repository';

/** What came of one file. */
export type Parsed<T> =
  | { readonly kind: 'Parsed'; readonly file: T }
  /** Its parsing was given up: it took too long or too much memory. `reason` ends a sentence. */
  | { readonly kind: 'Failed'; readonly reason: string };

/** What came of one policy file. */
export type ParsedFile = Parsed<PolicyFile>;

/**
 * Parses files where that does not delay decisions and requests. Both methods give one answer per file, in their order: a
 * file that cannot be parsed fails alone.
 */
export interface PolicyParserPort {
  /** Batches that are worth asking for at once, at least 1; more would only wait. */
  readonly batchesAtOnce: number;
  /**
   * Parses a batch that {@link parseFiles} has cut.
   *
   * @throws AdapterError where it is closed, or too many batches wait already.
   */
  parse(batch: readonly PolicyFileSource[]): Promise<readonly ParsedFile[]>;
  /**
   * Parses kustomizations, patches, and files with objects of Flux or Argo CD.
   *
   * @throws AdapterError as `parse` does.
   */
  parseOverlays(batch: readonly OverlayFile[]): Promise<readonly Parsed<OverlayContent>[]>;
}
