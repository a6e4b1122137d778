import type { RepositoryDocument, TenantDiagnostic } from '../documents/repository-reading.ts';
import { rootTenant } from '../files/repository-options.ts';
import type { DocumentInForce } from './in-force.ts';
import { isValid, type ResolvedPolicy, type ResolvedSet } from './resolve-documents.ts';
import { isSameJson } from './same-json.ts';

/** What the root's transaction is tried with. */
export interface RootTrialInput {
  /** Whether the source has tenants, and so a root beside them. */
  readonly hasRoot: boolean;
  readonly names: readonly string[];
  readonly fresh: (tenant: string) => readonly RepositoryDocument[];
  readonly active: (tenant: string) => readonly DocumentInForce[];
  /** Whether the tenant has errors that no root can change. */
  readonly isRejected: (tenant: string) => boolean;
  readonly isHeldBack: (tenant: string) => boolean;
  readonly resolve: (
    documents: readonly RepositoryDocument[],
    root: readonly RepositoryDocument[],
  ) => ResolvedSet;
}

/** What the trial found. */
export interface RootTrialResult {
  readonly diagnostics: readonly TenantDiagnostic[];
  /** Tenants that are valid with the new root only, which does not advance. */
  readonly waiting: readonly string[];
  /** A tenant that may not advance, and that the new root would change: the root waits for it. */
  readonly rootWaitsFor?: string;
}

/**
 * The documents outside tenant directories (defaults and guardrails) are a transaction too: it is tried with each
 * tenant's new documents, or, where those are invalid by themselves, with its active ones, and advances only if no
 * tenant that was valid breaks.
 */
export class RootTrial {
  readonly #input: RootTrialInput;
  readonly #resolved = new Map<string, ResolvedSet>();
  #root: 'fresh' | 'active' = 'active';
  #isUnchanged: boolean | undefined;

  constructor(input: RootTrialInput) {
    this.#input = input;
  }

  run(): RootTrialResult {
    const { hasRoot, names, isHeldBack, isRejected } = this.#input;
    const tenants = names.filter((name) => !hasRoot || name !== rootTenant);
    if (!hasRoot) {
      this.#root = 'fresh';
      return { diagnostics: this.#ownDiagnostics(tenants), waiting: [] };
    }
    const rules = this.#resolve(rootTenant, 'fresh', 'fresh');
    if (this.#isRootUnchanged()) {
      this.#root = 'fresh';
      return { diagnostics: [...rules.diagnostics, ...this.#ownDiagnostics(tenants)], waiting: [] };
    }
    const trial = isValid(rules) ? this.#tryWith(tenants) : { broken: [] };
    const isFree = isValid(rules) && !isRejected(rootTenant) && !isHeldBack(rootTenant);
    const mayAdvance = isFree && trial.rootWaitsFor === undefined && trial.broken.length === 0;
    this.#root = mayAdvance ? 'fresh' : 'active';
    const waiting = mayAdvance ? [] : tenants.filter((tenant) => this.#needsRoot(tenant));
    const own = this.#ownDiagnostics(tenants.filter((tenant) => !waiting.includes(tenant)));
    const { broken, ...waitsFor } = trial;
    return { diagnostics: [...rules.diagnostics, ...broken, ...own], waiting, ...waitsFor };
  }

  #tryWith(
    tenants: readonly string[],
  ): Pick<RootTrialResult, 'rootWaitsFor'> & { readonly broken: readonly TenantDiagnostic[] } {
    const needed = tenants.find((tenant) => this.#changesHeldBack(tenant));
    const broken = tenants.flatMap((tenant) => this.#breaks(tenant));
    return { broken, ...(needed === undefined ? {} : { rootWaitsFor: needed }) };
  }

  /** Whether the commit's root counts, and says something else than the one in force. */
  get isRootNew(): boolean {
    return this.#input.hasRoot && this.#root === 'fresh' && !this.#isRootUnchanged();
  }

  /** The tenant's documents of the commit under the resulting root. */
  fresh(tenant: string): ResolvedSet {
    return this.#resolve(tenant, 'fresh', this.#root);
  }

  /** The tenant's documents in force under the resulting root. */
  active(tenant: string): ResolvedSet {
    return this.#resolve(tenant, 'active', this.#root);
  }

  #ownDiagnostics(tenants: readonly string[]): readonly TenantDiagnostic[] {
    return tenants.flatMap((tenant) => this.fresh(tenant).diagnostics);
  }

  #isFreshValid(tenant: string, root: 'fresh' | 'active'): boolean {
    return !this.#input.isRejected(tenant) && isValid(this.#resolve(tenant, 'fresh', root));
  }

  #needsRoot(tenant: string): boolean {
    return !this.#isFreshValid(tenant, 'active') && this.#isFreshValid(tenant, 'fresh');
  }

  /** What is held stays as it is in force: a new root that would change it, or that it could not stand, waits for it. */
  #changesHeldBack(tenant: string): boolean {
    if (!this.#input.isHeldBack(tenant)) return false;
    const before = this.#resolve(tenant, 'active', 'active');
    const after = this.#resolve(tenant, 'active', 'fresh');
    if (!isValid(after)) return isValid(before) && this.#isFreshValid(tenant, 'fresh');
    const documents = new Map(before.policies.map(({ source, document }) => [source, document]));
    return !after.policies.every(({ source, document }) => isSameJson(documents.get(source), document));
  }

  #isRootUnchanged(): boolean {
    if (this.#isUnchanged !== undefined) return this.#isUnchanged;
    const active = this.#input.active(rootTenant);
    const fresh = this.#input.fresh(rootTenant);
    const byPlace = new Map(fresh.map((document) => [placeOf(document), document]));
    this.#isUnchanged =
      active.length === fresh.length &&
      active.every(({ source }) => isSameJson(byPlace.get(placeOf(source))?.value, source.value));
    return this.#isUnchanged;
  }

  /**
   * Errors of the root: a tenant that is valid without the new root, and not with it. One that has nothing in force was
   * not valid before, and has nothing that could break: its new documents are judged by the new root.
   */
  #breaks(tenant: string): readonly TenantDiagnostic[] {
    const { isHeldBack, active } = this.#input;
    if (active(tenant).length === 0 || this.#isFreshValid(tenant, 'fresh')) return [];
    const isFreshKept = this.#isFreshValid(tenant, 'active') && !isHeldBack(tenant);
    if (!isFreshKept && !isValid(this.#resolve(tenant, 'active', 'active'))) return [];
    return this.#resolve(tenant, isFreshKept ? 'fresh' : 'active', 'fresh')
      .diagnostics.filter(({ severity }) => severity === 'error')
      .map((diagnostic) => ({
        ...diagnostic,
        tenant: rootTenant,
        code: 'BreaksTenant',
        message: `the new documents outside the tenants break tenant ${tenant}: ${diagnostic.message}`,
      }));
  }

  #resolve(tenant: string, documents: 'fresh' | 'active', root: 'fresh' | 'active'): ResolvedSet {
    const key = `${documents} ${root} ${tenant}`;
    const known = this.#resolved.get(key);
    if (known !== undefined) return known;
    const set = this.#resolveNow(tenant, documents, root);
    this.#resolved.set(key, set);
    return set;
  }

  /** What is in force under the rules in force needs no second look, whatever the configuration says today. */
  #resolveNow(tenant: string, documents: 'fresh' | 'active', root: 'fresh' | 'active'): ResolvedSet {
    const { resolve, hasRoot, fresh, active } = this.#input;
    const isUnderRoot = hasRoot && tenant !== rootTenant;
    if (documents === 'active' && (!isUnderRoot || root === 'active' || this.#isRootUnchanged()))
      return { policies: active(tenant).flatMap(inForce), diagnostics: [] };
    const sources = (found: readonly DocumentInForce[]): readonly RepositoryDocument[] =>
      found.map(({ source }) => source);
    const rootDocuments = root === 'fresh' ? fresh(rootTenant) : sources(active(rootTenant));
    return resolve(
      documents === 'fresh' ? fresh(tenant) : sources(active(tenant)),
      isUnderRoot ? rootDocuments : [],
    );
  }
}

function inForce({ source, policy, document }: DocumentInForce): readonly ResolvedPolicy[] {
  return policy === undefined || document === undefined ? [] : [{ source, policy, document }];
}

function placeOf({ role, file, position, name }: RepositoryDocument): string {
  return `${role} ${file}:${position.line} ${name}`;
}
