import type { TreeFile } from '../files/tree-file.ts';
import { mayContainDeployers } from './find-deployers.ts';
import { findKustomizations, isKustomization, type OverlaysInput } from './find-kustomizations.ts';
import type { KustomizePatch } from './kustomization.ts';
import { type OverlayFile, overlayFile, type OverlayRole } from './overlay-file.ts';

/** A tree whose overlays are to be read. */
export type OverlayFilesInput = Pick<OverlaysInput, 'tree' | 'content' | 'cache'>;

/**
 * Lists the kustomizations and the files with objects of Flux or Argo CD that the cache does not know, for a caller that
 * parses them elsewhere; one file per step.
 */
export function* listOverlayFiles(input: OverlayFilesInput): Generator<void, readonly OverlayFile[], void> {
  const unknown: OverlayFile[] = [];
  for (const file of input.tree) {
    if (isKustomization(file)) unknown.push(...unknownFile(input, file, 'Kustomization'));
    if (mayContainDeployers(file, input.content, input.cache))
      unknown.push(...unknownFile(input, file, 'Deployers'));
    yield;
  }
  return unknown;
}

/** The same of the patches that kustomizations name; to be asked for once those are known. */
export function* listPatchFiles(input: OverlayFilesInput): Generator<void, readonly OverlayFile[], void> {
  const kustomizations = yield* findKustomizations(input);
  const files = new Map(input.tree.map((file) => [file.path, file]));
  const unknown = new Map<string, OverlayFile>();
  for (const { patches } of kustomizations) {
    for (const patch of patches) {
      const file = files.get(fileOfKinds(patch) ?? '');
      for (const found of file === undefined ? [] : unknownFile(input, file, 'Patch'))
        unknown.set(found.file, found);
      yield;
    }
  }
  return [...unknown.values()];
}

/** The file whose kinds decide what a patch may reach; undefined where the patch itself says it. */
export function fileOfKinds({ hasTarget, inlineKinds, file }: KustomizePatch): string | undefined {
  return hasTarget || inlineKinds !== undefined ? undefined : file;
}

function unknownFile(
  { content, cache }: OverlayFilesInput,
  file: TreeFile,
  role: OverlayRole,
): readonly OverlayFile[] {
  if (cache.has({ file: file.path, blob: file.id, role })) return [];
  const found = overlayFile(file, role, content(file));
  return found === undefined ? [] : [found];
}
