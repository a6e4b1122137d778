import { nameSome } from '#kernel';
import {
  findConflictsInSteps,
  findHoldsInSteps,
  findMovesInSteps,
  type ForeignPolicy,
  type HoldInput,
  type HoldScope,
  identityKey,
  type ManagedNamespaces,
  type Move,
  type PolicyDigests,
  type ProposedHold,
  proposeHold,
  type RepositoryDocument,
  type ResultingTenant,
  resultOf,
  type TenantDiagnostic,
} from '#repository';
import type { Approvals } from '../holds/approvals.ts';
import { type HoldMoment, type ResolvedHolds, resolveHolds } from '../holds/resolve-holds.ts';
import type { ActiveDocument } from '../in-force/active-policy-set.ts';

/** What a rollback is judged with. */
export interface RollbackJudgementInput extends Pick<HoldInput, 'earlierReplicas' | 'presentReplicas'> {
  /** What would be in force. */
  readonly wanted: readonly ActiveDocument[];
  readonly inForce: readonly ActiveDocument[];
  /** Policies that other sources have in force. */
  readonly foreign: readonly ForeignPolicy[];
  readonly approvals: Approvals;
  readonly moment: HoldMoment;
  readonly digests: PolicyDigests;
  /** Absent: every namespace is managed. */
  readonly managed?: ManagedNamespaces;
}

/** What a rollback comes to, a transaction per tenant. */
export interface JudgedRollback {
  readonly tenants: readonly RollbackTenant[];
  readonly diagnostics: readonly TenantDiagnostic[];
  readonly holds: ResolvedHolds;
  /** The digest of what a scope comes to. */
  readonly resultOfScope: (scope: HoldScope) => string;
}

/** One tenant of a rollback. */
export interface RollbackTenant {
  readonly tenant: string;
  readonly status: 'Advances' | 'Rejected' | 'Waiting' | 'HeldBack';
  /** Its documents as they will be in force. */
  readonly documents: readonly ActiveDocument[];
}

/**
 * Judges a rollback by the rules of a commit: conflicts over names and targets, moves, and every brake but the blast
 * radius, which a rollback is exempt from. Needs no Git. Pure; in steps of which none takes long.
 */
export function judgeRollback(input: RollbackJudgementInput): Generator<void, JudgedRollback, void> {
  return new RollbackJudgement(input).decide();
}

class RollbackJudgement {
  readonly #input: RollbackJudgementInput;
  readonly #wanted: ReadonlyMap<string, readonly ActiveDocument[]>;
  readonly #inForce: ReadonlyMap<string, readonly ActiveDocument[]>;
  readonly #names: readonly string[];
  readonly #stopped = new Map<string, Exclude<RollbackTenant['status'], 'Advances'>>();
  readonly #diagnostics: TenantDiagnostic[] = [];
  #proposed: readonly ProposedHold[] = [];

  constructor(input: RollbackJudgementInput) {
    this.#input = input;
    this.#wanted = Map.groupBy(input.wanted, ({ source }) => source.tenant);
    this.#inForce = Map.groupBy(input.inForce, ({ source }) => source.tenant);
    this.#names = [...new Set([...this.#wanted.keys(), ...this.#inForce.keys()])].sort();
    this.#rejectUnmanaged();
  }

  /** Each turn stops a tenant that went before, so the turns end. */
  *decide(): Generator<void, JudgedRollback, void> {
    for (;;) {
      yield* this.#waitForMoves();
      const stopped = this.#stopped.size;
      yield* this.#rejectConflicts();
      const holds = yield* this.#holdBack();
      if (this.#stopped.size > stopped) continue;
      const tenants = this.#tenants();
      const final = { tenants: tenants.map(resulting), digests: this.#input.digests };
      const resultOfScope = (scope: HoldScope): string => resultOf(final, scope);
      return { tenants, diagnostics: this.#diagnostics, holds, resultOfScope };
    }
  }

  /** What would come back where nothing may be read or written; what is in force there already only stays. */
  #rejectUnmanaged(): void {
    const { managed, inForce } = this.#input;
    if (managed === undefined) return;
    const known = new Set(inForce.map(({ source }) => identityKey(source)));
    for (const [tenant, documents] of this.#wanted) {
      const outside = documents
        .map(({ source }) => source)
        .filter(({ role, namespace }) => role === 'Policy' && !managed.namespaces.includes(namespace))
        .filter((source) => !known.has(identityKey(source)));
      const [first] = outside;
      if (first === undefined) continue;
      this.#diagnostics.push(unmanaged(first, outside));
      this.#stopped.set(tenant, 'Rejected');
    }
  }

  #tenants(): readonly RollbackTenant[] {
    return this.#names.map((tenant) => {
      const status = this.#stopped.get(tenant) ?? 'Advances';
      const documents = (status === 'Advances' ? this.#wanted : this.#inForce).get(tenant) ?? [];
      return { tenant, status, documents };
    });
  }

  *#waitForMoves(): Generator<void, void, void> {
    const moves = yield* findMovesInSteps(
      this.#input.inForce,
      this.#input.wanted.map(({ source }) => source),
    );
    const isApart = ({ from, to }: Move): boolean => this.#stopped.has(from) !== this.#stopped.has(to);
    for (let move = moves.find(isApart); move !== undefined; move = moves.find(isApart))
      this.#stopped.set(this.#stopped.has(move.from) ? move.to : move.from, 'Waiting');
  }

  *#rejectConflicts(): Generator<void, void, void> {
    const { inForce, foreign } = this.#input;
    const policies = this.#tenants()
      .flatMap(({ documents }) => documents)
      .flatMap(({ source, policy }) => (policy === undefined ? [] : [source]));
    const { withInForce, amongNewcomers } = yield* findConflictsInSteps({ policies, inForce, foreign });
    for (const diagnostic of [...withInForce, ...amongNewcomers]) {
      if (this.#stopped.get(diagnostic.tenant) === 'Rejected') continue;
      this.#diagnostics.push(diagnostic);
    }
    for (const { tenant } of this.#diagnostics) this.#stopped.set(tenant, 'Rejected');
  }

  *#holdBack(): Generator<void, ResolvedHolds, void> {
    const { inForce, approvals, moment, digests, presentReplicas, earlierReplicas } = this.#input;
    const tenants = this.#tenants().map(resulting);
    const found = yield* findHoldsInSteps({
      tenants,
      inForce,
      sourceCauses: [],
      isFirstActivation: false,
      presentReplicas,
      earlierReplicas,
      digests,
    });
    this.#proposed = [...this.#proposed, ...found.map((each) => proposeHold(each, { tenants, digests }))];
    const holds = resolveHolds(approvals, this.#proposed, moment);
    const held = holds.isSourceHeld ? this.#names : [...holds.heldTenants];
    for (const tenant of held) if (!this.#stopped.has(tenant)) this.#stopped.set(tenant, 'HeldBack');
    return holds;
  }
}

/** A message is one line, and the commit has the whole list. */
const maximumNamed = 20;

function unmanaged(first: RepositoryDocument, outside: readonly RepositoryDocument[]): TenantDiagnostic {
  const names = outside.map(identityKey).sort();
  const namespaces = [...new Set(outside.map(({ namespace }) => namespace))].sort();
  return {
    severity: 'error',
    code: 'NamespaceNotManaged',
    message: `${nameSome(names, maximumNamed)} would come back outside the configured namespaces (${nameSome(namespaces, maximumNamed)})`,
    hint: "add the namespaces to the configuration's, or roll back to a revision without these policies",
    path: ['metadata', 'namespace'],
    file: first.file,
    ...first.position,
    tenant: first.tenant,
  };
}

function resulting({ tenant, status, documents }: RollbackTenant): ResultingTenant {
  const policies = documents.flatMap(({ source, policy, document }) =>
    policy === undefined || document === undefined ? [] : [{ source, policy, document }],
  );
  return { tenant, status, policies, documents: documents.map(({ source }) => source) };
}
