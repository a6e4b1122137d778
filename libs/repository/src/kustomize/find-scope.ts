import { type FileSelection, selectFiles } from '../files/select-files.ts';
import { folderOf, type TreeFile } from '../files/tree-file.ts';
import type { OverlaysInput } from './find-kustomizations.ts';
import type { Kustomization } from './kustomization.ts';
import type { OverlayGraph } from './overlay-graph.ts';

/** How far a source's `path`, globs and ignore files let kustomizations count. */
export interface KustomizationScope {
  /** Above `path`, not included or left out: these give no namespace. */
  readonly unread: ReadonlySet<Kustomization>;
  /** What is wrong is reported of these: those that are read, and others that reach what is read. */
  readonly reported: ReadonlySet<Kustomization>;
}

/**
 * Finds which kustomizations count for what is read. One counts as included where any file beside it is; one that a rule
 * leaves out is never reported on. One file or kustomization per step.
 */
export function* findScope(
  input: OverlaysInput,
  kustomizations: readonly Kustomization[],
  graph: OverlayGraph,
): Generator<void, KustomizationScope, void> {
  const search = new ScopeSearch(input, graph);
  for (const file of input.tree) {
    search.addFile(file);
    yield;
  }
  for (const kustomization of kustomizations) {
    search.addKustomization(kustomization);
    yield;
  }
  return yield* search.result();
}

class ScopeSearch {
  readonly #graph: OverlayGraph;
  readonly #select: FileSelection;
  readonly #everything: FileSelection;
  /** By rules alone, wherever `path` is. */
  readonly #anywhere: FileSelection;
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  readonly #reaching = new Set<Kustomization>();
  readonly #unread = new Set<Kustomization>();
  readonly #leftOut = new Set<Kustomization>();

  constructor({ tree, options, ignoreFiles }: OverlaysInput, graph: OverlayGraph) {
    this.#graph = graph;
    this.#select = selectFiles(tree, options, ignoreFiles);
    this.#everything = selectFiles(tree, { ...options, include: [] }, ignoreFiles);
    this.#anywhere = selectFiles(tree, { ...options, include: [], path: '' }, ignoreFiles);
  }

  addFile(file: TreeFile): void {
    if (this.#select(file) !== undefined) return;
    this.#files.add(file.path);
    this.#folders.add(folderOf(file.path));
    for (const lister of this.#graph.listers(file.path)) this.#reaching.add(lister);
  }

  /** After all files. */
  addKustomization(kustomization: Kustomization): void {
    const { folder } = kustomization;
    // By its folder: `Kustomization` has no YAML name, and is one all the same, also where no YAML is beside it.
    const path = folder === '' ? 'kustomization.yaml' : `${folder}/kustomization.yaml`;
    const file: TreeFile = { path, id: '', type: 'File' };
    const isIncluded = this.#folders.has(folder) || this.#select(file) === undefined;
    const isRead = isIncluded && this.#everything(file) === undefined;
    if (!isRead) this.#unread.add(kustomization);
    if (isRead || this.#patchesRead(kustomization)) this.#reaching.add(kustomization);
    if (this.#anywhere(file) !== undefined) this.#leftOut.add(kustomization);
  }

  *result(): Generator<void, KustomizationScope, void> {
    for (const kustomization of this.#reaching) {
      for (const lister of this.#graph.listers(kustomization.folder)) this.#reaching.add(lister);
      yield;
    }
    return { unread: this.#unread, reported: this.#reaching.difference(this.#leftOut) };
  }

  #patchesRead({ patches }: Kustomization): boolean {
    return patches.some(({ file }) => file !== undefined && this.#files.has(file));
  }
}
