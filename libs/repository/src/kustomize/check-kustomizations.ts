import type { Diagnostic, DiagnosticCode, FilePlace, Position } from '#policy';
import type { TreeFile } from '../files/tree-file.ts';
import type { Kustomization } from './kustomization.ts';
import type { OverlayCache } from './overlay-file.ts';
import { findCircles, type OverlayGraph } from './overlay-graph.ts';

/** What kustomizations are checked against. */
export interface KustomizationSurroundings {
  /** Those that may reach what is read. */
  readonly reported: ReadonlySet<Kustomization>;
  /** The tree's files by path. */
  readonly files: ReadonlyMap<string, TreeFile>;
  readonly cache: OverlayCache;
  readonly graph: OverlayGraph;
}

/** What is wrong with the kustomizations of a tree. */
export interface KustomizationProblems {
  /** Of those that are reported on, each at the entry that it is about. */
  readonly diagnostics: readonly Diagnostic[];
  /** What any of them lists and is not there. */
  readonly missing: readonly { readonly file: string; readonly entry: FilePlace }[];
}

/** Warnings of one kustomization that are reported; more do not help, and a file of 5 MiB could list a million. */
const maximumWarnings = 100;

/** Checks that what kustomizations list and patch is there, and that kustomize would build them; one entry per step. */
export function* checkKustomizations(
  kustomizations: readonly Kustomization[],
  surroundings: KustomizationSurroundings,
): Generator<void, KustomizationProblems, void> {
  const circles = yield* findCircles(surroundings.graph, kustomizations);
  const checks = new KustomizationChecks(surroundings);
  for (const kustomization of kustomizations) yield* checks.check(kustomization, circles.get(kustomization));
  return checks;
}

class KustomizationChecks implements KustomizationProblems {
  readonly diagnostics: Diagnostic[] = [];
  readonly missing: { readonly file: string; readonly entry: FilePlace }[] = [];
  readonly #surroundings: KustomizationSurroundings;

  constructor(surroundings: KustomizationSurroundings) {
    this.#surroundings = surroundings;
  }

  *check(kustomization: Kustomization, circle: Kustomization | undefined): Generator<void, void, void> {
    const isReported = this.#surroundings.reported.has(kustomization);
    let count = 0;
    const warn = (position: Position | undefined, code: DiagnosticCode, message: string): void => {
      count += 1;
      if (isReported && count <= maximumWarnings)
        this.diagnostics.push(warningAt({ ...startOf(kustomization.path), ...position }, code, message));
    };
    if (kustomization.isUnreadable) this.#reportUnreadable(kustomization, warn);
    else yield* this.#checkEntries(kustomization, warn);
    checkPlace(kustomization, circle, warn);
    if (isReported && count > maximumWarnings) {
      const message = `the kustomization has ${count} warnings, of which ${maximumWarnings} are reported`;
      this.diagnostics.push(warningAt(startOf(kustomization.path), 'TooMany', message));
    }
  }

  #reportUnreadable({ path, syntaxError }: Kustomization, warn: Warn): void {
    const { cache } = this.#surroundings;
    const reason = cache.failure({ file: path, role: 'Kustomization' }) ?? syntaxError?.message;
    const why = reason === undefined ? '' : `: ${reason}`;
    const message = `the kustomization cannot be read${why}; nothing it reaches is taken`;
    warn(syntaxError?.position, 'KustomizationUnreadable', message);
  }

  *#checkEntries(kustomization: Kustomization, warn: Warn): Generator<void, void, void> {
    yield* this.#checkPatches(kustomization, warn);
    for (const { path, position } of kustomization.outside)
      warn(position, 'OutsideRepository', `resource ${path} leaves the repository`);
    yield* this.#checkResources(kustomization, warn);
  }

  *#checkPatches({ patches }: Kustomization, warn: Warn): Generator<void, void, void> {
    for (const { file, position } of patches) {
      yield;
      if (file !== undefined && !this.#surroundings.files.has(file))
        warn(position, 'MissingResource', `patch ${file} is not there`);
    }
  }

  *#checkResources({ path, resources }: Kustomization, warn: Warn): Generator<void, void, void> {
    const { files, graph } = this.#surroundings;
    for (const { path: resource, position } of resources) {
      yield;
      const file = files.get(resource);
      if (file?.type === 'SymbolicLink')
        warn(position, 'SymbolicLink', `resource ${resource} is a symbolic link, which is not followed`);
      if (file !== undefined || graph.at(resource) !== undefined) continue;
      this.missing.push({ file: resource, entry: { file: path, ...position } });
      warn(position, 'MissingResource', `resource ${resource} is not there`);
    }
  }
}

/** Without a position: the kustomization as a whole. */
type Warn = (position: Position | undefined, code: DiagnosticCode, message: string) => void;

/** kustomize refuses both: it builds nothing from such a folder. */
function checkPlace(kustomization: Kustomization, circle: Kustomization | undefined, warn: Warn): void {
  const { beside } = kustomization;
  if (circle !== undefined) {
    const isOwn = circle === kustomization;
    const what = isOwn ? 'the kustomization lists itself' : `it lists ${circle.path}, which lists it in turn`;
    warn(entryPlace(kustomization, circle.folder), 'KustomizationCycle', what);
  }
  if (beside !== undefined)
    warn(undefined, 'SeveralKustomizations', `${beside} is beside it and is not read: kustomize refuses two`);
}

/** A warning at a place in a kustomization. */
export function warningAt(place: FilePlace, code: DiagnosticCode, message: string): Diagnostic {
  return { severity: 'warning', code, message, path: [], ...place };
}

/** Where a kustomization lists or patches a file or a folder. */
export function entryPlace({ path, resources, patches }: Kustomization, entry: string): FilePlace {
  const found: { readonly position: Position } | undefined =
    resources.find((each) => each.path === entry) ?? patches.find((each) => each.file === entry);
  return { ...startOf(path), ...found?.position };
}

/** The place of what concerns a whole file. */
export function startOf(file: string): FilePlace {
  return { file, line: 1, column: 1 };
}
