import type { FileContent } from './file-content.ts';
import type { IgnoreFile } from './ignore-rules.ts';
import {
  isKustomizationFile,
  type Kustomization,
  kustomizationNames,
  readKustomization,
} from './kustomization.ts';
import type { RepositoryOptions } from './repository-options.ts';
import { selectFiles } from './select-files.ts';
import { baseOf, folderOf, type TreeFile } from './tree.ts';

/** A tree whose kustomizations are read. */
export interface OverlaysInput {
  readonly tree: readonly TreeFile[];
  readonly content: (file: TreeFile) => FileContent;
  readonly options: RepositoryOptions;
  readonly ignoreFiles: readonly IgnoreFile[];
}

/** One a folder and a step: where kustomize would find several, it refuses, and the first is read here. */
export function* findKustomizations({
  tree,
  content,
}: OverlaysInput): Generator<void, readonly Kustomization[], void> {
  const files = tree.filter((file) => file.type === 'File' && isKustomizationFile(file.path));
  const kustomizations: Kustomization[] = [];
  for (const inFolder of Map.groupBy(files, ({ path }) => folderOf(path)).values()) {
    const [first, second] = inFolder
      .toSorted((a, b) => rank(a) - rank(b))
      .flatMap((file) => readKustomization(file, content(file)) ?? []);
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
