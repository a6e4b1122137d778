import { foldersUp } from '../files/tree-file.ts';
import type { Kustomization } from './kustomization.ts';

/** A way from a document to the top: the kustomizations that take it, nearest first. */
export type WayUp = readonly Kustomization[];

/** Ways double with each diamond of bases; more than this is not a repository but an attack. */
const maximumWays = 1_000;

/** Nobody stacks overlays higher. */
const maximumHeight = 50;

/** What lists what among kustomizations. */
export class OverlayGraph {
  readonly #byFolder: ReadonlyMap<string, Kustomization>;
  readonly #listers = new Map<string, Kustomization[]>();

  constructor(kustomizations: readonly Kustomization[]) {
    this.#byFolder = new Map(kustomizations.map((found) => [found.folder, found]));
    for (const kustomization of kustomizations) {
      for (const path of kustomization.resources) {
        const known = this.#listers.get(path);
        if (known === undefined) this.#listers.set(path, [kustomization]);
        else known.push(kustomization);
      }
    }
  }

  /** The kustomization of the file's folder, or of the nearest one around it. */
  nearest(folder: string): Kustomization | undefined {
    for (const up of foldersUp(folder)) {
      const found = this.#byFolder.get(up);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Those that list a file or a folder. */
  listers(path: string): readonly Kustomization[] {
    return this.#listers.get(path) ?? [];
  }

  /** The kustomization of a folder. */
  at(folder: string): Kustomization | undefined {
    return this.#byFolder.get(folder);
  }

  /** Every way from a file to a kustomization that nobody lists; undefined where one is a cycle, or there are too many. */
  waysUp(file: string): readonly WayUp[] | undefined {
    const ways: WayUp[] = [];
    const isComplete = this.listers(file).every((lister) => this.#climb([lister], ways));
    return isComplete ? ways : undefined;
  }

  /** What a kustomization lists that lists it in turn, itself or by others: the kustomization itself, or another. */
  circle(kustomization: Kustomization): Kustomization | undefined {
    const seen = new Set([kustomization]);
    for (const at of seen) {
      for (const lister of this.listers(at.folder)) {
        if (lister === kustomization) return at;
        seen.add(lister);
      }
    }
    return undefined;
  }

  #climb(way: WayUp, ways: WayUp[]): boolean {
    const top = way.at(-1);
    if (top === undefined) return true;
    const listers = this.listers(top.folder);
    if (listers.length === 0) {
      ways.push(way);
      return ways.length <= maximumWays;
    }
    return listers.every(
      (lister) => !way.includes(lister) && way.length < maximumHeight && this.#climb([...way, lister], ways),
    );
  }
}
