import { namespacedName } from '#kernel';
import { byPosition } from '#policy';
import type {
  RepositoryDocument,
  RepositoryReading,
  TenantDiagnostic,
} from '../documents/repository-reading.ts';
import { runSteps } from '../documents/run-steps.ts';
import { type RepositoryOptions, rootTenant } from '../files/repository-options.ts';
import { type Conflicts, findConflictsInSteps } from './find-conflicts.ts';
import { findMoves, type Move } from './find-moves.ts';
import { type DocumentInForce, type ForeignPolicy, identityKey, type SourceInForce } from './in-force.ts';
import { judgeLosses, type Losses, type LossInput } from './judge-losses.ts';
import { isReleased, isReleasedByName, releasesItself } from './released.ts';
import {
  type ResolveContext,
  resolveDocuments,
  type ResolvedPolicy,
  type ResolvedSet,
  resolveInSteps,
} from './resolve-documents.ts';
import { RootTrial } from './root-trial.ts';

/** What a commit is judged with. */
export interface AdmissionInput extends Omit<LossInput, 'inForce'> {
  readonly reading: RepositoryReading;
  /** Without policies that an approver released by name: they are not in force. */
  readonly inForce: SourceInForce;
  readonly options: RepositoryOptions;
  readonly context: ResolveContext;
  /** Policies that other sources have in force. */
  readonly foreign: readonly ForeignPolicy[];
  /** Tenants that may not advance, whatever their documents say: held ones. */
  readonly heldBack: ReadonlySet<string>;
  /**
   * Policies (`shop/checkout`) that an approver released: they are not in force, whatever the commit says and whatever
   * becomes of their tenant.
   */
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

/** The judgement of a commit: one transaction per tenant, every error at once. */
export interface Admission {
  readonly tenants: readonly TenantAdmission[];
  /** Sorted by file, line and column. */
  readonly diagnostics: readonly TenantDiagnostic[];
  /** Policies (`shop/checkout`) that are released, by name or by the commit. */
  readonly released: ReadonlySet<string>;
}

/**
 * Does the larger part of {@link admit} a policy a step, for the input's cache: a caller that serves others between the
 * steps does not stop for as long as ten thousand policies take.
 */
export function* prepareAdmission({ reading, context }: AdmissionInput): Generator<void, void, void> {
  const documents = Map.groupBy(
    reading.documents.filter(({ role }) => role !== 'Test'),
    ({ tenant }) => tenant,
  );
  const root = documents.get(rootTenant) ?? [];
  for (const [tenant, own] of documents)
    yield* resolveInSteps(own, tenant === rootTenant ? [] : root, context);
}

/** Judges a commit against what is in force. Pure: the same input, the same admission. */
export function admit(input: AdmissionInput): Admission {
  return runSteps(admitInSteps(input));
}

/** The same, in steps of which none takes long once the policies are resolved ({@link prepareAdmission}). */
export function* admitInSteps(input: AdmissionInput): Generator<void, Admission, void> {
  const losses = judgeLosses({ ...input, inForce: input.inForce.documents });
  yield;
  const judgement = new Judgement(input, losses);
  yield;
  return yield* judgement.decide();
}

class Judgement {
  readonly #input: AdmissionInput;
  readonly #names: readonly string[];
  readonly #active: readonly DocumentInForce[];
  readonly #inForce: ReadonlyMap<string, readonly DocumentInForce[]>;
  readonly #fresh: ReadonlyMap<string, readonly RepositoryDocument[]>;
  readonly #gone: ReadonlyMap<string, readonly DocumentInForce[]>;
  readonly #moves: readonly Move[];
  readonly #rejected = new Set<string>();
  readonly #waiting = new Map<string, string>();
  readonly #diagnostics: TenantDiagnostic[] = [];
  readonly #reported = new Set<string>();

  constructor(input: AdmissionInput, losses: Losses) {
    this.#input = input;
    this.#active = input.inForce.documents;
    this.#inForce = Map.groupBy(this.#active, ({ source }) => source.tenant);
    this.#fresh = Map.groupBy(
      [
        ...input.reading.documents.filter(
          (document) => document.role !== 'Test' && !isReleased(document, input.released),
        ),
        // Defaults and guardrails that are lost still count: without them other errors would be reported.
        ...losses.lost.map(({ source }) => source).filter(({ role }) => role !== 'Policy'),
      ],
      ({ tenant }) => tenant,
    );
    this.#gone = Map.groupBy(losses.gone, ({ source }) => source.tenant);
    this.#moves = findMoves(this.#active, [...this.#fresh.values()].flat());
    this.#names = [
      ...new Set([
        rootTenant,
        ...input.options.tenants.map(({ name }) => name),
        ...this.#inForce.keys(),
        ...this.#fresh.keys(),
      ]),
    ].sort();
    this.#report([
      ...input.reading.diagnostics,
      ...losses.diagnostics,
      ...this.#outsiders(),
      ...this.#releasedByName(),
      ...this.#namesakes(),
    ]);
  }

  *decide(): Generator<void, Admission, void> {
    const policies = yield* this.#tryAndSettle();
    yield* this.#reportWritten();
    return {
      tenants: this.#names.map((tenant) => this.#admission(tenant, policies.get(tenant) ?? [])),
      diagnostics: this.#diagnostics.toSorted(byPosition),
      released: new Set([
        ...this.#input.released,
        ...this.#input.reading.documents.filter(releasesItself).map(identityKey),
      ]),
    };
  }

  /** A new root is tried again with the active documents of the tenants that do not advance under it. */
  *#tryAndSettle(): Generator<void, ReadonlyMap<string, readonly ResolvedPolicy[]>, void> {
    for (;;) {
      const trial = this.#tryRoot();
      yield;
      const blocked = this.#rejected.size + this.#waiting.size;
      const policies = yield* this.#settle(trial);
      const isSettled = this.#rejected.size + this.#waiting.size === blocked;
      if (isSettled || !trial.isRootNew || !this.#advances(rootTenant)) return policies;
    }
  }

  /**
   * Waits and rejects until nothing more follows. What conflicts with a policy in force is rejected first: a newcomer
   * that is refused anyway takes no other newcomer with it.
   */
  *#settle(trial: RootTrial): Generator<void, ReadonlyMap<string, readonly ResolvedPolicy[]>, void> {
    for (;;) {
      this.#waitForMoves();
      const policies = this.#result(trial);
      yield;
      const { withInForce, amongNewcomers } = yield* this.#conflictsOf(
        [...policies.values()].flatMap((resolved) => resolved.map(({ source }) => source)),
      );
      const found = withInForce.length > 0 ? withInForce : amongNewcomers;
      const blocked = this.#rejected.size;
      this.#report(found);
      if (this.#rejected.size === blocked) return policies;
    }
  }

  #conflictsOf(policies: readonly RepositoryDocument[]): Generator<void, Conflicts, void> {
    return findConflictsInSteps({ policies, inForce: this.#active, foreign: this.#input.foreign });
  }

  /**
   * Conflicts of what the commit says, as errors of tenants that are rejected anyway: every error of a commit is reported
   * at once. No other tenant fails by a newcomer that does not come in force.
   */
  *#reportWritten(): Generator<void, void, void> {
    if (this.#rejected.size === 0) return;
    const written = [...this.#fresh.values()].flat().filter(({ role }) => role === 'Policy');
    const { withInForce, amongNewcomers } = yield* this.#conflictsOf(written);
    const known = new Set(this.#diagnostics.map(conflictKey));
    this.#report(
      [...withInForce, ...amongNewcomers].filter(
        (diagnostic) => this.#rejected.has(diagnostic.tenant) && !known.has(conflictKey(diagnostic)),
      ),
    );
  }

  /** Errors reject their tenant; an error that is known already is not reported twice. */
  #report(diagnostics: readonly TenantDiagnostic[]): void {
    for (const diagnostic of diagnostics) {
      if (diagnostic.severity === 'error') this.#rejected.add(diagnostic.tenant);
      const key = placeKey(diagnostic);
      if (!this.#reported.has(key)) this.#diagnostics.push(diagnostic);
      this.#reported.add(key);
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
        message: `policy ${namespacedName(document)} is in no tenant's directory`,
        path: [],
        file: document.file,
        ...document.position,
        tenant: rootTenant,
      }));
  }

  /** What its author may not know: the document changes nothing until an approver takes the release back. */
  #releasedByName(): readonly TenantDiagnostic[] {
    return this.#input.reading.documents
      .filter((document) => isReleasedByName(document, this.#input.released))
      .map((document) => ({
        severity: 'warning',
        code: 'Released',
        message: `policy ${namespacedName(document)} was released by name, and is not in force`,
        hint: 'resumePolicy takes the release back',
        path: [],
        file: document.file,
        ...document.position,
        tenant: document.tenant,
      }));
  }

  /** Two documents of one kind and name in one file, where the kind has no namespace to distinguish them. */
  #namesakes(): readonly TenantDiagnostic[] {
    const documents = [...this.#fresh.values()].flat().filter(({ role }) => role !== 'Policy');
    return [...Map.groupBy(documents, identityKey).values()].flatMap(([first, ...others]) =>
      others.map((document) => ({
        severity: 'error' as const,
        code: 'DuplicateName' as const,
        message: `${document.kind} ${document.name} is in its file already, at line ${first?.position.line ?? 1}`,
        path: ['metadata', 'name'],
        file: document.file,
        ...document.locate(['metadata', 'name']),
        tenant: document.tenant,
      })),
    );
  }

  #tryRoot(): RootTrial {
    const trial = new RootTrial({
      hasRoot: this.#input.options.tenants.length > 0,
      names: this.#names,
      fresh: (tenant) => this.#fresh.get(tenant) ?? [],
      active: (tenant) => this.#inForce.get(tenant) ?? [],
      isRejected: (tenant) => this.#rejected.has(tenant),
      isHeldBack: (tenant) => this.#input.heldBack.has(tenant) || this.#waiting.has(tenant),
      resolve: (documents, root) => resolveDocuments(documents, root, this.#input.context),
    });
    const { diagnostics, waiting, rootWaitsFor } = trial.run();
    this.#report(diagnostics);
    if (rootWaitsFor !== undefined) this.#waiting.set(rootTenant, `tenant ${rootWaitsFor}`);
    for (const tenant of waiting) this.#waiting.set(tenant, 'the root');
    return trial;
  }

  #advances(tenant: string): boolean {
    return !this.#rejected.has(tenant) && !this.#waiting.has(tenant) && !this.#input.heldBack.has(tenant);
  }

  #result(trial: RootTrial): ReadonlyMap<string, readonly ResolvedPolicy[]> {
    return new Map(
      this.#names.map((tenant) => {
        const policies = this.#advances(tenant)
          ? trial.fresh(tenant).policies
          : stillInForce(this.#inForce.get(tenant) ?? [], trial.active(tenant));
        return [tenant, policies];
      }),
    );
  }

  /** Tenants between which a name or a target moves advance together or not at all. */
  #waitForMoves(): void {
    const isApart = ({ from, to }: Move): boolean => this.#advances(from) !== this.#advances(to);
    for (let move = this.#moves.find(isApart); move !== undefined; move = this.#moves.find(isApart)) {
      const { from, to } = move;
      const [waiting, other] = this.#advances(from) ? [from, to] : [to, from];
      this.#waiting.set(waiting, other === rootTenant ? 'the root' : `tenant ${other}`);
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

/** What no longer resolves (a Prometheus server that the configuration lost) stays in force as it is. */
function stillInForce(
  active: readonly DocumentInForce[],
  { policies }: ResolvedSet,
): readonly ResolvedPolicy[] {
  const resolved = new Set(policies.map(({ source }) => source));
  const kept = active.flatMap(({ source, policy, document }) =>
    policy === undefined || document === undefined || resolved.has(source)
      ? []
      : [{ source, policy, document }],
  );
  return [...policies, ...kept];
}

/** One document has one conflict of a kind, with whatever other document. */
function conflictKey({ code, file, line, column }: TenantDiagnostic): string {
  return `${file}:${line}:${column} ${code}`;
}

function placeKey({ code, file, line, column, message }: TenantDiagnostic): string {
  return `${file}:${line}:${column} ${code} ${message}`;
}
