import { type PolicyParserPort, readTree as readParsedTree, type TreeReading } from '#git-sync';
import type { SliceClock } from '#kernel';
import {
  type DocumentCache,
  listIgnoreFiles,
  OverlayCache,
  PolicyFileCache,
  type RepositoryDocument,
} from '#repository';
import type { SourceOptions } from './source-options.ts';
import type { SourceTree } from './source-tree.ts';

/** How a tree is read. */
export interface ReadTreeOptions extends Pick<SourceOptions, 'repository'> {
  /** Parses the files, within limits of time and memory: they may come from a stranger's pull request. */
  readonly parser: PolicyParserPort;
  /** Files that hold a document in force: always parsed. */
  readonly filesInForce?: ReadonlySet<string>;
  /** Files of an earlier tree, which are not parsed again. */
  readonly files?: PolicyFileCache;
  /** Their documents. */
  readonly documents?: DocumentCache<RepositoryDocument>;
}

/** Reads a tree as the controller reads a commit: ignore files, kustomizations and tenants count. */
export function readTree(tree: SourceTree, options: ReadTreeOptions): Promise<TreeReading> {
  const { repository, parser, filesInForce = new Set() } = options;
  const { files, content } = tree;
  const ignoreFiles = listIgnoreFiles(files).map((file) => {
    const found = content(file);
    return { path: file.path, text: found.kind === 'Bytes' ? new TextDecoder().decode(found.bytes) : '' };
  });
  return readParsedTree({
    tree: files,
    content,
    ignoreFiles,
    options: repository,
    filesInForce,
    files: options.files ?? new PolicyFileCache(),
    overlays: new OverlayCache(),
    documents: options.documents ?? new WeakMap(),
    parser,
    clock,
  });
}

/** Nothing else waits here but the answers of the parser. */
const clock: SliceClock = {
  monotonicMilliseconds: () => performance.now(),
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
  noteWork: () => undefined,
};
