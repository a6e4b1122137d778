import { foldersUp } from '../files/tree-file.ts';
import type { Kustomization } from './kustomization.ts';

/** A way from a document to the top: the kustomizations that take it, nearest first. */
export type WayUp = readonly Kustomization[];

/** Ways double with each diamond of bases; more than this is not a repository but an attack. */
const maximumWays = 1_000;

/** Real overlays are a few levels high. */
const maximumHeight = 50;

/** What lists what among kustomizations. */
export class OverlayGraph {
  readonly #byFolder: ReadonlyMap<string, Kustomization>;
  readonly #listers = new Map<string, Kustomization[]>();

  constructor(kustomizations: readonly Kustomization[]) {
    this.#byFolder = new Map(kustomizations.map((found) => [found.folder, found]));
  }

  /** Notes what each kustomization lists; one entry per step. */
  *build(): Generator<void, void, void> {
    for (const kustomization of this.#byFolder.values()) {
      for (const { path } of kustomization.resources) {
        const known = this.#listers.get(path);
        if (known === undefined) this.#listers.set(path, [kustomization]);
        else if (known.at(-1) !== kustomization) known.push(kustomization);
        yield;
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

  /** Every way from a file to an unlisted kustomization; undefined where one is a cycle, or there are too many. */
  waysUp(file: string): readonly WayUp[] | undefined {
    const ways: WayUp[] = [];
    const isComplete = this.listers(file).every((lister) => this.#climb([lister], ways));
    return isComplete ? ways : undefined;
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

/**
 * Finds, of each kustomization that lists itself by way of others, one of those that it lists and that lists it in turn.
 * Tarjan's algorithm without recursion: in time proportional to the entries, however long the chains; one entry per step.
 */
export function* findCircles(
  graph: OverlayGraph,
  kustomizations: readonly Kustomization[],
): Generator<void, ReadonlyMap<Kustomization, Kustomization>, void> {
  const components = new Map<Kustomization, number>();
  const search = new CircleSearch(graph, components);
  for (const kustomization of kustomizations) yield* search.visit(kustomization);
  const circles = new Map<Kustomization, Kustomization>();
  for (const kustomization of kustomizations) {
    const component = components.get(kustomization);
    for (const { path } of kustomization.resources) {
      const listed = graph.at(path);
      if (listed !== undefined && components.get(listed) === component && !circles.has(kustomization))
        circles.set(kustomization, listed);
      yield;
    }
  }
  return circles;
}

interface Visit {
  readonly kustomization: Kustomization;
  readonly order: number;
  next: number;
  lowest: number;
}

class CircleSearch {
  readonly #graph: OverlayGraph;
  readonly #components: Map<Kustomization, number>;
  readonly #orders = new Map<Kustomization, number>();
  readonly #open: Kustomization[] = [];

  constructor(graph: OverlayGraph, components: Map<Kustomization, number>) {
    this.#graph = graph;
    this.#components = components;
  }

  *visit(start: Kustomization): Generator<void, void, void> {
    if (this.#orders.has(start)) return;
    const path = [this.#enter(start)];
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const entry = at.kustomization.resources[at.next++];
      const next = entry === undefined ? undefined : this.#graph.at(entry.path);
      if (entry === undefined) {
        this.#leave(path);
      } else if (next === undefined) {
        // A file, which lists nothing.
      } else if (!this.#orders.has(next)) {
        path.push(this.#enter(next));
      } else if (!this.#components.has(next)) {
        at.lowest = Math.min(at.lowest, this.#orders.get(next) ?? 0);
      }
      yield;
    }
  }

  #enter(kustomization: Kustomization): Visit {
    const order = this.#orders.size;
    this.#orders.set(kustomization, order);
    this.#open.push(kustomization);
    return { kustomization, order, next: 0, lowest: order };
  }

  /** What is still open from here on lists each other. */
  #leave(path: Visit[]): void {
    const visit = path.pop();
    if (visit === undefined) return;
    const around = path.at(-1);
    if (around !== undefined) around.lowest = Math.min(around.lowest, visit.lowest);
    if (visit.lowest !== visit.order) return;
    for (let each = this.#open.pop(); each !== undefined; each = this.#open.pop()) {
      this.#components.set(each, visit.order);
      if (each === visit.kustomization) return;
    }
  }
}
