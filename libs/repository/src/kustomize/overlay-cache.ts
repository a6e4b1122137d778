import { FileMemo } from '../documents/file-memo.ts';
import type { Deployer } from './deployers.ts';
import type { Kustomization } from './kustomization.ts';

/** What kustomizations, their patches and deployers say: an unchanged one is not parsed again. */
export class OverlayCache {
  /** Undefined: none, but an object of Flux that bears the name. */
  readonly kustomizations = new FileMemo<Kustomization | undefined>();
  readonly deployers = new FileMemo<readonly Deployer[]>();
  /** The kinds of a patch; undefined where nobody can tell. */
  readonly patchKinds = new FileMemo<readonly string[] | undefined>();

  /** Begins a reading of a tree. */
  begin(): void {
    for (const memo of [this.kustomizations, this.deployers, this.patchKinds]) memo.begin();
  }
}
