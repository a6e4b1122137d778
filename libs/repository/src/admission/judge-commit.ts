import { filterInSteps } from '#kernel';
import type { RepositoryDocument, TenantDiagnostic } from '../documents/repository-reading.ts';
import { rootTenant } from '../files/repository-options.ts';
import type { Admission, AdmissionInput, TenantAdmission, TenantStatus } from './admission.ts';
import { causesFirst } from './causes-first.ts';
import { type Conflicts, findConflictsInSteps } from './find-conflicts.ts';
import { findDocumentFaults } from './find-document-faults.ts';
import { findMovesInSteps, type Move } from './find-moves.ts';
import { type DocumentInForce, identityKey } from './in-force.ts';
import type { Losses } from './judge-losses.ts';
import { isReleased, releasesItself } from './released.ts';
import { resolveDocuments, type ResolvedPolicy, type ResolvedSet } from './resolve-documents.ts';
import { RootTrial } from './root-trial.ts';

/** Judges a commit, whose losses are known, against what is in force; in steps of which none takes long. */
export function* judgeCommit(input: AdmissionInput, losses: Losses): Generator<void, Admission, void> {
  const commit = yield* compare(input, losses);
  return yield* new Judgement(input, commit).decide();
}

/** A commit beside what is in force, as its judgement looks at it. */
interface ComparedCommit {
  readonly inForce: ReadonlyMap<string, readonly DocumentInForce[]>;
  /** By tenant: the documents that may come in force, and those that are lost and still count. */
  readonly fresh: ReadonlyMap<string, readonly RepositoryDocument[]>;
  readonly gone: ReadonlyMap<string, readonly DocumentInForce[]>;
  readonly moves: readonly Move[];
  readonly diagnostics: readonly TenantDiagnostic[];
}

/** Puts what a judgement needs together; one document per step. */
function* compare(input: AdmissionInput, losses: Losses): Generator<void, ComparedCommit, void> {
  const { reading, released, options } = input;
  const { documents } = input.inForce;
  const written = yield* filterInSteps(
    reading.documents,
    (document) => document.role !== 'Test' && !isReleased(document, released),
  );
  // Defaults and guardrails that are lost still count: without them other errors would be reported.
  const lost = losses.lost.map(({ source }) => source).filter(({ role }) => role !== 'Policy');
  const fresh = [...written, ...lost];
  const moves = yield* findMovesInSteps(documents, fresh);
  const faults = yield* findDocumentFaults({ options, released, documents: reading.documents, fresh });
  return {
    inForce: Map.groupBy(documents, ({ source }) => source.tenant),
    fresh: Map.groupBy(fresh, ({ tenant }) => tenant),
    gone: Map.groupBy(losses.gone, ({ source }) => source.tenant),
    moves,
    diagnostics: [...reading.diagnostics, ...losses.diagnostics, ...faults],
  };
}

class Judgement {
  readonly #input: AdmissionInput;
  readonly #commit: ComparedCommit;
  readonly #names: readonly string[];
  readonly #rejected = new Set<string>();
  readonly #waiting = new Map<string, string>();
  readonly #diagnostics: TenantDiagnostic[] = [];
  readonly #reported = new Set<string>();

  constructor(input: AdmissionInput, commit: ComparedCommit) {
    this.#input = input;
    this.#commit = commit;
    const configured = input.options.tenants.map(({ name }) => name);
    const tenants = [rootTenant, ...configured, ...commit.inForce.keys(), ...commit.fresh.keys()];
    this.#names = [...new Set(tenants)].sort();
  }

  *decide(): Generator<void, Admission, void> {
    this.#report(this.#commit.diagnostics);
    yield;
    const policies = yield* this.#tryAndSettle();
    yield* this.#reportWritten();
    return {
      tenants: this.#names.map((tenant) => this.#admission(tenant, policies.get(tenant) ?? [])),
      diagnostics: causesFirst(this.#diagnostics),
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
    return findConflictsInSteps({
      policies,
      inForce: this.#input.inForce.documents,
      foreign: this.#input.foreign,
    });
  }

  /**
   * Conflicts of what the commit says, as errors of tenants that are rejected anyway: every error of a commit is reported
   * at once. No other tenant fails by a newcomer that does not come in force.
   */
  *#reportWritten(): Generator<void, void, void> {
    if (this.#rejected.size === 0) return;
    const written = [...this.#commit.fresh.values()].flat().filter(({ role }) => role === 'Policy');
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

  #tryRoot(): RootTrial {
    const trial = new RootTrial({
      hasRoot: this.#input.options.tenants.length > 0,
      names: this.#names,
      fresh: (tenant) => this.#commit.fresh.get(tenant) ?? [],
      active: (tenant) => this.#commit.inForce.get(tenant) ?? [],
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
          : stillInForce(this.#commit.inForce.get(tenant) ?? [], trial.active(tenant));
        return [tenant, policies];
      }),
    );
  }

  /** Tenants between which a name or a target moves advance together or not at all. */
  #waitForMoves(): void {
    const isApart = ({ from, to }: Move): boolean => this.#advances(from) !== this.#advances(to);
    for (
      let move = this.#commit.moves.find(isApart);
      move !== undefined;
      move = this.#commit.moves.find(isApart)
    ) {
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
        ? (this.#commit.fresh.get(tenant) ?? [])
        : (this.#commit.inForce.get(tenant) ?? []).map(({ source }) => source),
      gone: isAdvancing ? (this.#commit.gone.get(tenant) ?? []) : [],
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
