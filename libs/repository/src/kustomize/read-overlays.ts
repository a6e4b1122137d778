import { runSteps } from '#kernel';
import type { Diagnostic, FilePlace } from '#policy';
import { noOverlays, type OverlayEffect, type Overlays, type UntakenEffect } from '../documents/overlays.ts';
import type { TenantDiagnostic } from '../documents/repository-reading.ts';
import { rootTenant } from '../files/repository-options.ts';
import { type TenantLookup, tenantLookup } from '../files/tenant-lookup.ts';
import { folderOf, type TreeFile } from '../files/tree-file.ts';
import { checkKustomizations, entryPlace, startOf, warningAt } from './check-kustomizations.ts';
import { type Deployer, type DeployerLookup, deployerLookup } from './deployers.ts';
import { findDeployers } from './find-deployers.ts';
import { findKustomizations, type OverlaysInput } from './find-kustomizations.ts';
import { findScope } from './find-scope.ts';
import type { Kustomization, KustomizePatch } from './kustomization.ts';
import { fileOfKinds } from './list-overlay-files.ts';
import { OverlayCache, overlayFile } from './overlay-file.ts';
import { OverlayGraph, type WayUp } from './overlay-graph.ts';

/** A tree, and, between syncs, what its files are known to say. */
export type ReadOverlaysInput = Omit<OverlaysInput, 'cache'> & { readonly cache?: OverlayCache };

/** Reads the kustomizations of a whole tree, whatever globs and ignore files say. Nothing is rendered. */
export function readOverlays(input: ReadOverlaysInput): Overlays {
  return runSteps(readOverlaysInSteps(input));
}

/**
 * The same, one file or entry per step: a large repository has hundreds of kustomizations. What the cache does not know
 * is parsed; a caller that others wait for has parsed it elsewhere (`listOverlayFiles`, then `listPatchFiles`).
 */
export function* readOverlaysInSteps({
  cache = new OverlayCache(),
  ...given
}: ReadOverlaysInput): Generator<void, Overlays, void> {
  const input = { ...given, cache };
  const kustomizations = yield* findKustomizations(input);
  const deployers = yield* findDeployers(input);
  if (kustomizations.length === 0 && deployers.length === 0) return noOverlays;
  const overlays = new TreeOverlays(input, kustomizations);
  yield* overlays.check(kustomizations, deployers);
  return overlays;
}

const renderHint = 'point a source at rendered manifests (kustomize build) instead';
const policyKinds = new Set(['AutoscalingPolicy', 'HorizontalPodAutoscaler', 'WatermarkPodAutoscaler']);

interface JudgedDocument {
  readonly file: string;
  /** The namespace that it names itself. */
  readonly own: string | undefined;
  readonly tenant: string;
}

/** What a kustomization reaches, and by which of its entries. */
interface Reached {
  readonly file: string;
  readonly tenant: string;
  readonly entry: string;
}

class TreeOverlays implements Overlays {
  readonly diagnostics: TenantDiagnostic[] = [];
  readonly missing = new Map<string, FilePlace>();
  readonly unreadable: ReadonlySet<string>;
  readonly #input: OverlaysInput;
  #deployerOf: DeployerLookup = () => undefined;
  readonly #graph: OverlayGraph;
  readonly #tenants: TenantLookup;
  readonly #files: ReadonlyMap<string, TreeFile>;
  #unread: ReadonlySet<Kustomization> = new Set();
  #patchFiles: ReadonlyMap<string, readonly Kustomization[]> = new Map();
  readonly #foreign = new Set<string>();

  constructor(input: OverlaysInput, kustomizations: readonly Kustomization[]) {
    this.#input = input;
    this.#graph = new OverlayGraph(kustomizations);
    this.#tenants = tenantLookup(input.options);
    this.#files = new Map(input.tree.map((file) => [file.path, file]));
    this.unreadable = new Set(
      kustomizations.filter(({ isUnreadable }) => isUnreadable).map(({ path }) => path),
    );
  }

  /** Looks at each kustomization by itself; one file or entry per step. */
  *check(
    kustomizations: readonly Kustomization[],
    deployers: readonly Deployer[],
  ): Generator<void, void, void> {
    yield* this.#graph.build();
    const { unread, reported } = yield* findScope(this.#input, kustomizations, this.#graph);
    this.#unread = unread;
    this.#patchFiles = yield* listPatches(kustomizations);
    const { cache } = this.#input;
    const found = yield* checkKustomizations(kustomizations, {
      reported,
      files: this.#files,
      cache,
      graph: this.#graph,
    });
    for (const { file, entry } of found.missing) {
      this.missing.set(file, entry);
      yield;
    }
    for (const diagnostic of found.diagnostics) {
      this.#add(diagnostic);
      yield;
    }
    for (const { path } of this.#input.tree) {
      const reason = cache.failure({ file: path, role: 'Deployers' });
      if (reason !== undefined)
        this.#add(warningAt(startOf(path), 'ParsingFailed', `what the file deploys is not known: ${reason}`));
      yield;
    }
    // One that a kustomization lists as a patch deploys nothing.
    this.#deployerOf = deployerLookup(deployers.filter(({ file }) => !this.#patchFiles.has(file)));
  }

  effectOn(file: string, own: string | undefined): OverlayEffect {
    const tenant = this.#tenants.of(file);
    const patchers = (this.#patchFiles.get(file) ?? []).filter((each) =>
      this.#mayTouch(each, { file, tenant, entry: file }),
    );
    if (patchers.length > 0)
      return { kind: 'Untaken', reason: 'Patch', message: `${patchers[0]?.path ?? ''} lists it as a patch` };
    const nearest = this.#graph.nearest(folderOf(file));
    const listers = this.#graph
      .listers(file)
      .filter((each) => this.#mayTouch(each, { file, tenant, entry: file }));
    if (listers.length > 0) return this.#judgeListed({ file, own, tenant });
    if (nearest !== undefined && this.#isSameTenant(nearest, tenant)) return unlisted(nearest);
    return this.#deployed(file, []) ?? { kind: 'Taken', isListed: false, labels: {}, annotations: {} };
  }

  #judgeListed(judged: JudgedDocument): OverlayEffect {
    const { file, tenant } = judged;
    const ways = this.#graph.waysUp(file);
    if (ways === undefined)
      return needsRendering('its kustomizations list each other in a circle, or too many of them');
    const reaching = ways
      .map((way) =>
        way.filter((each, index) =>
          this.#mayTouch(each, { file, tenant, entry: way[index - 1]?.folder ?? file }),
        ),
      )
      .filter((way) => way.length > 0);
    for (const way of reaching) {
      const transformed = this.#transformation(way);
      if (transformed !== undefined) return transformed;
    }
    return this.#deployed(file, reaching.flat()) ?? this.#result(reaching, judged);
  }

  /** The namespace that every way that is read ends in; one that sets none leaves the document in its own. */
  #result(ways: readonly WayUp[], { own, tenant }: JudgedDocument): OverlayEffect {
    const read = ways.filter((way) => !way.some((each) => this.#unread.has(each)));
    const counted = read.length > 0 ? read : ways;
    const ends = counted.map((way) => this.#end(way));
    const [first] = ends;
    if (first === undefined) return { kind: 'Taken', isListed: true, labels: {}, annotations: {} };
    const fallback = this.#tenants.options(tenant)?.namespace ?? this.#input.options.namespace;
    const given = own === undefined || own === '' ? fallback : own;
    const namespaces = [...new Set(ends.map(({ namespace = given }) => namespace))];
    if (namespaces.length > 1) {
      const names = namespaces.map((namespace) => namespace ?? 'none').join(', ');
      return needsRendering(`its ways up end in different namespaces (${names})`);
    }
    const labels = agreed(ends.map((end) => end.labels));
    const annotations = agreed(ends.map((end) => end.annotations));
    return { kind: 'Taken', isListed: true, ...first, labels, annotations };
  }

  /** Outer kustomizations win, as in `kustomize build`. One that is not read gives nothing. */
  #end(way: WayUp): {
    readonly namespace?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  } {
    const read = way.filter((each) => !this.#unread.has(each));
    const namespace = read.findLast((each) => each.namespace !== undefined)?.namespace;
    return {
      ...(namespace === undefined ? {} : { namespace }),
      labels: Object.assign({}, ...read.map(({ labels }) => labels)) as Record<string, string>,
      annotations: Object.assign({}, ...read.map(({ annotations }) => annotations)) as Record<string, string>,
    };
  }

  /** What on a way up makes a document something else than what is written. */
  #transformation(way: WayUp): UntakenEffect | undefined {
    for (const kustomization of way) {
      const { path, isUnreadable, isComponent } = kustomization;
      if (isUnreadable) return needsRepair(path);
      if (isComponent) return needsRendering(`${path} is a component, and deploys nothing by itself`);
      const [field] = kustomization.transforms;
      if (field !== undefined) return needsRendering(`${path} has ${field}`);
      const patch = kustomization.patches.find((each) => this.#patches(each));
      if (patch !== undefined) return needsRendering(`${path} patches policies`);
    }
    return undefined;
  }

  /** A target kind decides, without a target the patch's own; absent, a pattern or one of ours reaches policies. */
  #patches(patch: KustomizePatch): boolean {
    if (patch.hasTarget) return mayBeOurs(patch.targetKind);
    const file = this.#files.get(fileOfKinds(patch) ?? '');
    const kinds = patch.inlineKinds ?? (file === undefined ? undefined : this.#kindsIn(file));
    return kinds === undefined || kinds.some(mayBeOurs);
  }

  #kindsIn(file: TreeFile): readonly string[] | undefined {
    const wanted = overlayFile(file, 'Patch', this.#input.content(file));
    return wanted === undefined ? undefined : this.#input.cache.read(wanted)?.value;
  }

  /** What Flux or Argo CD does to the manifests of a path. */
  #deployed(file: string, ways: readonly Kustomization[]): OverlayEffect | undefined {
    const folders = [...ways.map(({ folder }) => folder), folderOf(file)];
    const deployer = folders.map((folder) => this.#deployerOf(folder)).find((found) => found !== undefined);
    if (deployer === undefined) return undefined;
    const { kind, name, file: place, transforms } = deployer;
    return needsRendering(`${kind} ${name} (${place}) deploys it with ${transforms.join(', ')}`);
  }

  #isSameTenant({ path }: Kustomization, tenant: string): boolean {
    const own = this.#tenants.of(path);
    return own === tenant || own === rootTenant;
  }

  /** A kustomization of another tenant never reaches a policy: listing or patching it is its own error. */
  #mayTouch(kustomization: Kustomization, { file, tenant, entry }: Reached): boolean {
    if (this.#isSameTenant(kustomization, tenant)) return true;
    const key = `${kustomization.path} ${file}`;
    if (!this.#foreign.has(key)) {
      this.#foreign.add(key);
      const own = this.#tenants.of(kustomization.path);
      const message = `tenant ${own} lists or patches ${file} of tenant ${tenant}`;
      const warning = warningAt(entryPlace(kustomization, entry), 'ForeignResource', message);
      this.#add({ ...warning, severity: 'error' });
    }
    return false;
  }

  #add(diagnostic: Diagnostic): void {
    this.diagnostics.push({ ...diagnostic, tenant: this.#tenants.of(diagnostic.file) });
  }
}

/** Which kustomizations list a file as a patch; one entry per step. */
function* listPatches(
  kustomizations: readonly Kustomization[],
): Generator<void, ReadonlyMap<string, readonly Kustomization[]>, void> {
  const listers = new Map<string, Kustomization[]>();
  for (const kustomization of kustomizations) {
    for (const { file } of kustomization.patches) {
      yield;
      if (file === undefined) continue;
      const known = listers.get(file);
      if (known === undefined) listers.set(file, [kustomization]);
      else known.push(kustomization);
    }
  }
  return listers;
}

/** What all ways add; what only some of them add may not be there. */
function agreed([first = {}, ...others]: readonly Readonly<Record<string, string>>[]): Record<
  string,
  string
> {
  return Object.fromEntries(
    Object.entries(first).filter(([key, value]) => others.every((other) => other[key] === value)),
  );
}

function needsRendering(message: string): UntakenEffect {
  return { kind: 'Untaken', reason: 'NeedsRendering', message, hint: renderHint };
}

/** No render knows more than we do of a kustomization that kustomize refuses, too. */
function needsRepair(path: string): UntakenEffect {
  const hint = `repair ${path}: KustomizationUnreadable says what is wrong with it`;
  return { ...needsRendering(`${path} cannot be read`), hint };
}

/** What an unreadable kustomization lists is unknown, so leaving it is no deletion. */
function unlisted({ path, isUnreadable }: Kustomization): OverlayEffect {
  if (isUnreadable) return needsRepair(path);
  return {
    kind: 'Untaken',
    reason: 'NotListed',
    message: `${path} does not list it`,
    hint: 'add it to the resources of the kustomization',
  };
}

/** Whether a patch of that kind may reach a policy: no kind, a pattern, or one of ours. */
function mayBeOurs(kind: string | undefined): boolean {
  return kind === undefined || !/^[A-Za-z0-9]+$/.test(kind) || policyKinds.has(kind);
}
