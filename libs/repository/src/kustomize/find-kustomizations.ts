import type { IgnoreFile } from '../files/ignore-rules.ts';
import type { RepositoryOptions } from '../files/repository-options.ts';
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
