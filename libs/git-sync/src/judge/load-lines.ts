import { cutText } from '#kernel';
import type { FilePlace } from '#policy';
import type { BlobLimits, GitRepositoryPort } from '../ports/git.port.ts';

/** Files that are read for their lines; beyond them, places have no text. */
const maximumFiles = 20;
const maximumTreeFiles = 200_000;
const limits: BlobLimits = { blobBytes: 1_048_576, bytes: 8 * 1_048_576, milliseconds: 5_000 };

/** Of a line; what is longer is cut. */
const maximumCharacters = 400;

/**
 * The lines of a commit's files at some places, in their order; null where it cannot be told: the commit is not on disk
 * any more, or a file is not one of it, too large, or shorter.
 *
 * @throws AdapterError
 */
export async function loadLines(
  repository: Pick<GitRepositoryPort, 'hasCommit' | 'loadTree' | 'loadBlobs'>,
  commit: string,
  places: readonly Pick<FilePlace, 'file' | 'line'>[],
): Promise<readonly (string | null)[]> {
  if (places.length === 0 || !(await repository.hasCommit(commit))) return places.map(() => null);
  const files = new Set([...new Set(places.map(({ file }) => file))].slice(0, maximumFiles));
  const tree = await repository.loadTree(commit, maximumTreeFiles);
  const ids = new Map(tree.filter(({ path }) => files.has(path)).map(({ path, id }) => [path, id]));
  const blobs = await repository.loadBlobs([...new Set(ids.values())], limits);
  const lines = new Map(
    [...ids].flatMap(([path, id]) => {
      const blob = blobs.get(id);
      return blob?.kind === 'Bytes'
        ? [[path, new TextDecoder().decode(blob.bytes).split(/\r?\n/)] as const]
        : [];
    }),
  );
  return places.map(({ file, line }) => {
    const text = lines.get(file)?.[line - 1];
    return text === undefined ? null : cutText(text, maximumCharacters);
  });
}
