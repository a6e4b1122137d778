import type { SyncOutcome } from '#git-sync';
import { namespacedName } from '#kernel';
import { sentenceOf } from '#policy';
import type { ActivePolicy } from '#reconciliation';
import { slipsFirst, type TenantDiagnostic } from '#repository';
import type { Principal } from '../../auth/callers/principal.ts';
import type { SourceOperations, SourceView } from '../../git-sync/source-operations.ts';
import { viewerNeeded } from '../access/not-visible.ts';
import type { SourceAccess } from './source-access.ts';

/** A commit that is not in force for a policy, since the part of its tenant has errors. */
export interface RejectedCommit {
  /** Its full object name. */
  readonly commit: string;
  /** Empty: the root, of a source without tenants. */
  readonly tenant: string;
  /** How many errors its tenant has, and the first: `2 errors: a.yaml:3:1: …`; null: the caller may not view all of the source. */
  readonly message: string | null;
  /** Which role would show the errors; null: the caller sees them. */
  readonly notVisible: string | null;
}

/** Of whose sources the latest looks are asked. */
export interface RejectionSources {
  readonly sources: Pick<SourceOperations, 'documentsInForce' | 'listSources'>;
  readonly access: Pick<SourceAccess, 'isWholeVisible'>;
  /** To whom it is told. */
  readonly caller: Principal;
}

/** Tells which policies stay as they were, since the commit that was looked at last has errors in their tenants. */
export class RejectedCommits {
  readonly #sources: ReadonlyMap<string, SourceView>;
  readonly #options: RejectionSources;

  constructor(options: RejectionSources) {
    this.#options = options;
    const rejected = options.sources
      .listSources()
      .filter(({ lastSync }) => errorsOf(lastSync?.outcome).length > 0);
    this.#sources = new Map(rejected.map((source) => [source.name, source]));
  }

  of({ policy, origin }: ActivePolicy): RejectedCommit | null {
    const outcome = this.#sources.get(origin.source)?.lastSync?.outcome;
    const commit = outcome?.commit?.hash;
    if (outcome === undefined || commit === undefined) return null;
    const rejection = this.#rejections(outcome).get(namespacedName(policy));
    if (rejection === undefined) return null;
    const { access, caller } = this.#options;
    const { tenant, message } = rejection;
    return access.isWholeVisible(caller, origin.source)
      ? { commit, tenant, message, notVisible: null }
      : { commit, tenant, message: null, notVisible: viewerNeeded(origin.source) };
  }

  /** What is in force of a tenant stays the same for as long as a commit is rejected. */
  #rejections(outcome: SyncOutcome): ReadonlyMap<string, Rejection> {
    const known = rejectionsByOutcome.get(outcome);
    if (known !== undefined) return known;
    const byTenant = Map.groupBy(errorsOf(outcome), ({ tenant }) => tenant);
    const rejections = new Map(
      [...byTenant].map(([tenant, errors]) => [tenant, { tenant, message: textOf(errors) }]),
    );
    const documents = this.#options.sources.documentsInForce(outcome.source);
    const found = new Map(
      documents.flatMap(({ policy, source }): readonly (readonly [string, Rejection])[] => {
        const rejection = rejections.get(source.tenant);
        return policy === undefined || rejection === undefined ? [] : [[namespacedName(policy), rejection]];
      }),
    );
    rejectionsByOutcome.set(outcome, found);
    return found;
  }
}

/** What all policies of a tenant share. */
interface Rejection {
  readonly tenant: string;
  readonly message: string;
}

/** By the names of policies, for as long as the outcome of a look is known: a fleet is asked about policy by policy. */
const rejectionsByOutcome = new WeakMap<SyncOutcome, ReadonlyMap<string, Rejection>>();

function errorsOf(outcome: SyncOutcome | undefined): readonly TenantDiagnostic[] {
  return outcome?.diagnostics.filter(({ severity }) => severity === 'error') ?? [];
}

function textOf(errors: readonly TenantDiagnostic[]): string {
  const [first] = slipsFirst(errors);
  const place =
    first === undefined ? '' : `${first.file}:${first.line}:${first.column}: ${sentenceOf(first)}`;
  return `${errors.length} error${errors.length === 1 ? '' : 's'}: ${place}`;
}
