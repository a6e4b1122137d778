/** One leaf of a commit's tree, or a file on disk that is read as one. */
export interface TreeFile {
  /** From the repository's root, with `/`. */
  readonly path: string;
  /** Names the content: equal ids, equal bytes. */
  readonly id: string;
  /** Only plain files are read. */
  readonly type: 'File' | 'SymbolicLink' | 'Submodule';
}

/** The content of a file: its bytes, or that it is too large to be read. */
export type FileContent =
  | { readonly kind: 'Bytes'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'TooLarge';
      /** Undefined where it was never received whole. */
      readonly sizeBytes?: number;
      /** Whether its bytes contain the name of one of our kinds; undefined where they were not at hand. */
      readonly mentionsKind?: boolean;
    };

/** The folder that a path is in; empty at the root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

/** The last part of a path. */
export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder itself and the folders around it, nearest first; the root, an empty text, is the last. */
export function foldersUp(folder: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; at !== ''; at = folderOf(at)) folders.push(folderOf(at));
  return folders;
}

/** Whether a path is in a folder or below it. */
export function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

/**
 * A path relative to a folder, `.` and `..` resolved; undefined where it leaves the repository.
 */
export function resolvePath(folder: string, relative: string): string | undefined {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** A path as it is written in a configuration, without leading `./` and slashes around it. */
export function normalPath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}
