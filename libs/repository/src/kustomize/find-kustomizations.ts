import type { IgnoreFile } from '../files/ignore-rules.ts';
import type { RepositoryOptions } from '../files/repository-options.ts';
import { selectFiles } from '../files/select-files.ts';
import { baseOf, type FileContent, folderOf, type TreeFile } from '../files/tree-file.ts';
import {
  isKustomizationFile,
  type Kustomization,
  kustomizationNames,
  unreadableKustomization,
} from './kustomization.ts';
import { type OverlayCache, overlayFile } from './overlay-file.ts';

/** A tree whose kustomizations are read. */
export interface OverlaysInput {
  readonly tree: readonly TreeFile[];
  readonly content: (file: TreeFile) => FileContent;
  readonly options: RepositoryOptions;
  readonly ignoreFiles: readonly IgnoreFile[];
  /** What files say that were parsed before. */
  readonly cache: OverlayCache;
}

/** One per folder and step: where kustomize would find several, it refuses, and the first is read here. */
export function* findKustomizations({
  tree,
  content,
  cache,
}: Pick<OverlaysInput, 'tree' | 'content' | 'cache'>): Generator<void, readonly Kustomization[], void> {
  const files = tree.filter(isKustomization);
  const kustomizations: Kustomization[] = [];
  const read = (file: TreeFile): Kustomization | readonly [] => {
    const wanted = overlayFile(file, 'Kustomization', content(file));
    const found = wanted === undefined ? undefined : cache.read(wanted);
    return found === undefined ? unreadableKustomization(file.path) : (found.value ?? []);
  };
  for (const inFolder of Map.groupBy(files, ({ path }) => folderOf(path)).values()) {
    const [first, second] = inFolder.toSorted((a, b) => rank(a) - rank(b)).flatMap(read);
    if (first !== undefined)
      kustomizations.push(second === undefined ? first : { ...first, beside: second.path });
    yield;
  }
  return kustomizations;
}

/** Whether a file is a kustomization by its name. */
export function isKustomization({ path, type }: TreeFile): boolean {
  return type === 'File' && isKustomizationFile(path);
}

function rank({ path }: TreeFile): number {
  return kustomizationNames.indexOf(baseOf(path));
}

/**
 * Kustomizations above `path` or excluded give no namespace. One counts as included where any file beside it is. One file
 * per step.
 */
export function* findUnread(
  { tree, options, ignoreFiles }: OverlaysInput,
  kustomizations: readonly Kustomization[],
): Generator<void, ReadonlySet<Kustomization>, void> {
  const select = selectFiles(tree, options, ignoreFiles);
  const everything = selectFiles(tree, { ...options, include: [] }, ignoreFiles);
  const includedFolders = new Set<string>();
  for (const file of tree) {
    if (select(file) === undefined) includedFolders.add(folderOf(file.path));
    yield;
  }
  const unread = new Set<Kustomization>();
  for (const kustomization of kustomizations) {
    const { folder } = kustomization;
    // By its folder: `Kustomization` has no YAML name, and is one all the same, also where no YAML is beside it.
    const path = folder === '' ? 'kustomization.yaml' : `${folder}/kustomization.yaml`;
    const file: TreeFile = { path, id: '', type: 'File' };
    const isIncluded = includedFolders.has(folder) || select(file) === undefined;
    if (everything(file) !== undefined || !isIncluded) unread.add(kustomization);
    yield;
  }
  return unread;
}
