import { isYamlPath } from '../files/select-files.ts';
import type { FileContent, TreeFile } from '../files/tree-file.ts';
import { type Deployer, mayDeploy } from './deployers.ts';
import type { OverlaysInput } from './find-kustomizations.ts';
import { type OverlayCache, overlayFile } from './overlay-file.ts';

/** Finds the Flux Kustomizations and Argo CD Applications of a tree that transform what they deploy; one file per step. */
export function* findDeployers({
  tree,
  content,
  cache,
}: Pick<OverlaysInput, 'tree' | 'content' | 'cache'>): Generator<void, readonly Deployer[], void> {
  const deployers: Deployer[] = [];
  for (const file of tree) {
    if (mayContainDeployers(file, content, cache)) {
      const wanted = overlayFile(file, 'Deployers', content(file));
      deployers.push(...(wanted === undefined ? [] : (cache.read(wanted)?.value ?? [])));
    }
    yield;
  }
  return deployers;
}

/** Whether a file is to be parsed for such objects; one that names none is noted as such, and not looked into again. */
export function mayContainDeployers(
  file: TreeFile,
  content: (file: TreeFile) => FileContent,
  cache: OverlayCache,
): boolean {
  if (file.type !== 'File' || !isYamlPath(file.path)) return false;
  const wanted = { file: file.path, blob: file.id, role: 'Deployers' } as const;
  if (cache.has(wanted) || cache.failure(wanted) !== undefined) return true;
  const found = content(file);
  if (found.kind !== 'Bytes') return false;
  if (mayDeploy(found.bytes)) return true;
  cache.keep(wanted, { role: 'Deployers', value: [] });
  return false;
}
