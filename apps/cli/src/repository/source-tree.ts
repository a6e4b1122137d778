import type { FileContent, TreeFile } from '#repository';

/** A tree of files, as a source reads it: from a folder on disk or from a commit. */
export interface SourceTree {
  /** Absolute path of the repository's top. */
  readonly root: string;
  readonly files: readonly TreeFile[];
  readonly content: (file: TreeFile) => FileContent;
}
