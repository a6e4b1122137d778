import { readPolicyFile } from '#policy';
import {
  type DocumentCache,
  listIgnoreFiles,
  type PolicyFileReader,
  readOverlays,
  readRepository,
  type RepositoryDocument,
  type RepositoryReading,
} from '#repository';
import type { SourceOptions } from './source-options.ts';
import type { SourceTree } from './source-tree.ts';

/** How a tree is read. */
export interface ReadTreeOptions extends Pick<SourceOptions, 'repository'> {
  /** Files that hold a document in force: always parsed. */
  readonly filesInForce?: ReadonlySet<string>;
  /** Reads a file's documents; a reader with a memory parses a file once for several trees. */
  readonly readFile?: PolicyFileReader;
  /** Documents of files that an earlier tree held too. */
  readonly known?: DocumentCache<RepositoryDocument>;
}

/** What a tree says about policies. */
export interface TreeReading {
  readonly reading: RepositoryReading;
  readonly overlays: ReturnType<typeof readOverlays>;
}

/** Reads a tree as the controller reads a commit: ignore files, kustomizations and tenants count. */
export function readTree(tree: SourceTree, options: ReadTreeOptions): TreeReading {
  const { repository, filesInForce = new Set(), readFile = readPolicyFile, known } = options;
  const { files, content } = tree;
  const ignoreFiles = listIgnoreFiles(files).map((file) => {
    const found = content(file);
    return { path: file.path, text: found.kind === 'Bytes' ? new TextDecoder().decode(found.bytes) : '' };
  });
  const overlays = readOverlays({ tree: files, content, options: repository, ignoreFiles });
  const reading = readRepository({
    tree: files,
    content,
    ignoreFiles,
    overlays,
    options: repository,
    readFile,
    filesInForce,
    ...(known !== undefined && { known }),
  });
  return { reading, overlays };
}
