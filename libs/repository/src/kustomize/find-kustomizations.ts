import type { IgnoreFile } from '../files/ignore-rules.ts';
import type { RepositoryOptions } from '../files/repository-options.ts';
import { selectFiles } from '../files/select-files.ts';
import { baseOf, type FileContent, folderOf, type TreeFile } from '../files/tree-file.ts';
import {
  isKustomizationFile,
  type Kustomization,
  kustomizationNames,
  readKustomization,
} from './kustomization.ts';
import { OverlayCache } from './overlay-cache.ts';

/** A tree whose kustomizations are read. */
export interface OverlaysInput {
  readonly tree: readonly TreeFile[];
  readonly content: (file: TreeFile) => FileContent;
  readonly options: RepositoryOptions;
  readonly ignoreFiles: readonly IgnoreFile[];
  /** Between syncs: unchanged files are not parsed again. */
  readonly cache?: OverlayCache;
}

/** One a folder and a step: where kustomize would find several, it refuses, and the first is read here. */
export function* findKustomizations({
  tree,
  content,
  cache = new OverlayCache(),
}: OverlaysInput): Generator<void, readonly Kustomization[], void> {
  const files = tree.filter((file) => file.type === 'File' && isKustomizationFile(file.path));
  const kustomizations: Kustomization[] = [];
  const read = (file: TreeFile): Kustomization | readonly [] => {
    const held = content(file);
    const make = (): Kustomization | undefined => readKustomization(file, held);
    return (held.kind === 'Bytes' ? cache.kustomizations.of(file, make) : make()) ?? [];
  };
  for (const inFolder of Map.groupBy(files, ({ path }) => folderOf(path)).values()) {
    const [first, second] = inFolder.toSorted((a, b) => rank(a) - rank(b)).flatMap(read);
    if (first !== undefined)
      kustomizations.push(second === undefined ? first : { ...first, beside: second.path });
    yield;
  }
  return kustomizations;
}

function rank({ path }: TreeFile): number {
  return kustomizationNames.indexOf(baseOf(path));
}

/** Kustomizations above `path` or excluded give no namespace. One counts as included where any file beside it is. */
export function unreadKustomizations(
  { tree, options, ignoreFiles }: OverlaysInput,
  kustomizations: readonly Kustomization[],
): readonly Kustomization[] {
  const select = selectFiles(tree, options, ignoreFiles);
  const everything = selectFiles(tree, { ...options, include: [] }, ignoreFiles);
  const includedFolders = new Set(
    tree.filter((file) => select(file) === undefined).map(({ path }) => folderOf(path)),
  );
  return kustomizations.filter(({ folder }) => {
    // By its folder: `Kustomization` has no YAML name, and is one all the same, also where no YAML is beside it.
    const path = folder === '' ? 'kustomization.yaml' : `${folder}/kustomization.yaml`;
    const file: TreeFile = { path, id: '', type: 'File' };
    const isIncluded = includedFolders.has(folder) || select(file) === undefined;
    return everything(file) !== undefined || !isIncluded;
  });
}
