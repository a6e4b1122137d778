import { isJsonObject } from '#kernel';

import type {
  RepositoryDocument,
  RepositoryReading,
  TenantDiagnostic,
} from '../repository/repository-reading.ts';
import { type RepositoryOptions, rootTenant } from '../repository/repository-options.ts';
import { findConflicts } from './find-conflicts.ts';
import { findMoves } from './find-moves.ts';
import {
  type DocumentInForce,
  type ForeignPolicy,
  identityKey,
  type SourceInForce,
  targetKey,
} from './in-force.ts';
import { judgeLosses, type LossInput } from './judge-losses.ts';
import {
  type ResolveContext,
  type ResolvedPolicy,
  type ResolvedSet,
  resolveDocuments,
} from './resolve-documents.ts';
import { RootTrial } from './root-trial.ts';

/** What a commit is judged with. */
export interface AdmissionInput extends Omit<LossInput, 'inForce'> {
  readonly reading: RepositoryReading;
  readonly inForce: SourceInForce;
  readonly options: RepositoryOptions;
  readonly context: ResolveContext;
  /** Policies that other sources have in force. */
  readonly foreign: readonly ForeignPolicy[];
  /** Tenants that may not advance, whatever their documents say: held ones. */
  readonly heldBack: ReadonlySet<string>;
  /** Policies (`shop/checkout`) that an approver released: they are not in force, whatever the commit says. */
  readonly released: ReadonlySet<string>;
}

/** What a tenant's transaction came to. */
export type TenantStatus =
  /** Its documents of the commit are in force. */
  | 'Advances'
  /** It has errors, and keeps what is in force. */
  | 'Rejected'
  /** It is valid, and waits for the root, or for a tenant that a name moves to or from. */
  | 'Waiting'
  /** It may not advance. */
  | 'HeldBack';

/** One tenant's transaction. */
export interface TenantAdmission {
  readonly tenant: string;
  readonly status: TenantStatus;
  /** For `Waiting`: on what. */
  readonly waitsFor?: string;
  /** Its policies as they will be in force: new where it advances, else those in force under the resulting root. */
  readonly policies: readonly ResolvedPolicy[];
  /** All its documents as they will be in force. */
  readonly documents: readonly RepositoryDocument[];
  /** Those in force that leave. */
  readonly gone: readonly DocumentInForce[];
}

/** A commit, judged: a transaction a tenant, every error at once. */
export interface Admission {
  readonly tenants: readonly TenantAdmission[];
  /** Sorted by file, line and column. */
  readonly diagnostics: readonly TenantDiagnostic[];
}

/** Judges a commit against what is in force. Pure: the same input, the same admission. */
export function admit(input: AdmissionInput): Admission {
  return new Judgement(input).decide();
}

class Judgement {
  readonly #input: AdmissionInput;
  readonly #names: readonly string[];
  readonly #inForce: ReadonlyMap<string, readonly DocumentInForce[]>;
  readonly #fresh: ReadonlyMap<string, readonly RepositoryDocument[]>;
  readonly #gone: ReadonlyMap<string, readonly DocumentInForce[]>;
  readonly #rejected = new Set<string>();
  readonly #waiting = new Map<string, string>();
  readonly #diagnostics: TenantDiagnostic[] = [];
  readonly #said = new Set<string>();

  constructor(input: AdmissionInput) {
    this.#input = input;
    this.#inForce = Map.groupBy(input.inForce.documents, ({ source }) => source.tenant);
    this.#fresh = Map.groupBy(
      input.reading.documents.filter(
        (document) => document.role !== 'Test' && !isReleased(document, input.released),
      ),
      ({ tenant }) => tenant,
    );
    const losses = judgeLosses({ ...input, inForce: input.inForce.documents });
    this.#gone = Map.groupBy(losses.gone, ({ source }) => source.tenant);
    this.#names = [
      ...new Set([
        rootTenant,
        ...input.options.tenants.map(({ name }) => name),
        ...this.#inForce.keys(),
        ...this.#fresh.keys(),
      ]),
    ].sort();
    this.#report([...input.reading.diagnostics, ...losses.diagnostics, ...this.#outsiders()]);
  }

  decide(): Admission {
    const trial = this.#tryRoot();
    let policies = this.#result(trial);
    for (;;) {
      const blocked = this.#rejected.size + this.#waiting.size;
      this.#rejectConflicts(policies);
      this.#waitForMoves();
      if (this.#rejected.size + this.#waiting.size === blocked) break;
      policies = this.#result(trial);
    }
    return {
      tenants: this.#names.map((tenant) => this.#admission(tenant, policies.get(tenant) ?? [])),
      diagnostics: this.#diagnostics.toSorted(byPlace),
    };
  }

  /** Errors reject their tenant; an error that is known already is not said twice. */
  #report(diagnostics: readonly TenantDiagnostic[]): void {
    for (const diagnostic of diagnostics) {
      if (diagnostic.severity === 'error') this.#rejected.add(diagnostic.tenant);
      const key = placeKey(diagnostic);
      if (!this.#said.has(key)) this.#diagnostics.push(diagnostic);
      this.#said.add(key);
    }
  }

  /** Where there are tenants, a policy outside them is an error of the root. */
  #outsiders(): readonly TenantDiagnostic[] {
    if (this.#input.options.tenants.length === 0) return [];
    return (this.#fresh.get(rootTenant) ?? [])
      .filter(({ role }) => role === 'Policy')
      .map((document) => ({
        severity: 'error',
        code: 'OutsideTenants',
        message: `policy ${document.namespace}/${document.name} is in no tenant's directory`,
        path: [],
        file: document.file,
        ...document.position,
        tenant: rootTenant,
      }));
  }

  #tryRoot(): RootTrial {
    const trial = new RootTrial({
      hasRoot: this.#input.options.tenants.length > 0,
      names: this.#names,
      fresh: (tenant) => this.#fresh.get(tenant) ?? [],
      active: (tenant) => (this.#inForce.get(tenant) ?? []).map(({ source }) => source),
      isRejected: (tenant) => this.#rejected.has(tenant),
      isHeldBack: (tenant) => this.#input.heldBack.has(tenant),
      resolve: (documents, root) => resolveDocuments(documents, root, this.#input.context),
    });
    const { diagnostics, waiting } = trial.run();
    this.#report(diagnostics);
    for (const tenant of waiting) this.#waiting.set(tenant, 'the root');
    return trial;
  }

  #advances(tenant: string): boolean {
    return !this.#rejected.has(tenant) && !this.#waiting.has(tenant) && !this.#input.heldBack.has(tenant);
  }

  #result(trial: RootTrial): ReadonlyMap<string, readonly ResolvedPolicy[]> {
    return new Map(
      this.#names.map((tenant) => {
        const set: ResolvedSet = this.#advances(tenant) ? trial.fresh(tenant) : trial.active(tenant);
        return [tenant, set.policies];
      }),
    );
  }

  #rejectConflicts(policies: ReadonlyMap<string, readonly ResolvedPolicy[]>): void {
    const inForce = new Set(
      this.#input.inForce.documents.flatMap(({ source, policy }) =>
        policy === undefined ? [] : [`${identityKey(source)} ${targetKey(policy)}`],
      ),
    );
    this.#report(
      findConflicts({
        policies: [...policies.values()].flat(),
        foreign: this.#input.foreign,
        isInForce: ({ source, policy }) => inForce.has(`${identityKey(source)} ${targetKey(policy)}`),
      }),
    );
  }

  /** Tenants between which a name or a target moves advance together or not at all. */
  #waitForMoves(): void {
    for (const { from, to } of findMoves(this.#input.inForce.documents, this.#input.reading.documents)) {
      if (this.#advances(from) === this.#advances(to)) continue;
      const [waiting, other] = this.#advances(from) ? [from, to] : [to, from];
      this.#waiting.set(waiting, `tenant ${other}`);
    }
  }

  #admission(tenant: string, policies: readonly ResolvedPolicy[]): TenantAdmission {
    const status = this.#status(tenant);
    const waitsFor = this.#waiting.get(tenant);
    const isAdvancing = status === 'Advances';
    return {
      tenant,
      status,
      ...(status === 'Waiting' && waitsFor !== undefined ? { waitsFor } : {}),
      policies,
      documents: isAdvancing
        ? (this.#fresh.get(tenant) ?? [])
        : (this.#inForce.get(tenant) ?? []).map(({ source }) => source),
      gone: isAdvancing ? (this.#gone.get(tenant) ?? []) : [],
    };
  }

  #status(tenant: string): TenantStatus {
    if (this.#rejected.has(tenant)) return 'Rejected';
    if (this.#waiting.has(tenant)) return 'Waiting';
    return this.#input.heldBack.has(tenant) ? 'HeldBack' : 'Advances';
  }
}

/** Released by name, or by its own annotation: it leaves with its HPA and its count kept. */
function isReleased(document: RepositoryDocument, released: ReadonlySet<string>): boolean {
  if (document.role !== 'Policy') return false;
  const metadata = isJsonObject(document.value['metadata']) ? document.value['metadata'] : {};
  const annotations = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
  return annotations['plimsoll.dev/release'] === 'true' || released.has(identityKey(document));
}

function placeKey({ code, file, line, column, message }: TenantDiagnostic): string {
  return `${file}:${line}:${column} ${code} ${message}`;
}

function byPlace(one: TenantDiagnostic, other: TenantDiagnostic): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}
