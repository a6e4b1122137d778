import { isIgnoreFile } from '../files/ignore-rules.ts';
import { isYamlPath } from '../files/select-files.ts';
import { isKustomizationFile } from './kustomization.ts';

/** Whether a source may read a file of this path: YAML, an ignore file, or a kustomization of any name. */
export function isReadPath(path: string): boolean {
  return isYamlPath(path) || isIgnoreFile(path) || isKustomizationFile(path);
}
