import type { Intervention } from '#decision';
import { canonicalJson } from '#kernel';
import type { InterventionScope, StandingIntervention } from '#ledger';
import type { StandingInterventions } from '#reconciliation';
import { mayAct, type Principal, type Role, roles } from '../../auth/callers/principal.ts';
import { requireRole } from '../access/require-role.ts';
import { interventionNames, namespaceOf } from '../effects/intervention-requests.ts';
import type { OverriddenCounts } from '../effects/override-limits.ts';
import type { OperatorActionName } from '../requests/operator-action-name.ts';
import { QueryError } from '../requests/query-error.ts';
import type { SourceAccess } from '../sources/source-access.ts';
import type { EarlierActions } from './earlier-actions.ts';

/** Which interventions; what is left out does not narrow. */
export interface InterventionFilter {
  readonly kind?: readonly Intervention['kind'][] | undefined;
  /** Of which an intervention is for one, or for a policy of one. */
  readonly namespace?: readonly string[] | undefined;
  readonly actor?: string | undefined;
}

/** Nobody who says two hours, twice, means another end. */
const sameEndMilliseconds = 60_000;

/** The interventions that stand, as callers may see and end them. */
export class VisibleInterventions {
  readonly #interventions: Pick<StandingInterventions, 'list'>;
  readonly #access: SourceAccess;
  readonly #earlier: EarlierActions;

  constructor(ports: {
    readonly interventions: Pick<StandingInterventions, 'list'>;
    readonly access: SourceAccess;
    readonly earlier: EarlierActions;
  }) {
    this.#interventions = ports.interventions;
    this.#access = ports.access;
    this.#earlier = ports.earlier;
  }

  /**
   * Those that have begun and not ended, by their beginning: of the policies, namespaces and sources that the caller may
   * see, and those of the cluster or of a metric source, which act on its policies, too. That of a source which is gone acts
   * again on one of its name: whoever may see all there is sees it.
   */
  list(caller: Principal, filter: InterventionFilter = {}): readonly StandingIntervention[] {
    const sources = new Set(this.#access.list(caller).map(({ name }) => name));
    const seesAll = mayAct(caller, 'viewer', null);
    return this.#interventions.list().filter((standing) => {
      const { scope } = standing;
      if (!isWanted(standing, filter)) return false;
      if (scope.kind === 'Cluster' || scope.kind === 'MetricSource') return true;
      if (scope.kind !== 'Source') return mayAct(caller, 'viewer', scope.namespace);
      return seesAll || sources.has(scope.source);
    });
  }

  /** @throws QueryError `UnknownIntervention`, which says who ended it, or which kind it is; `Forbidden` */
  async find(
    caller: Principal,
    { id, kind }: { readonly id: string; readonly kind: Intervention['kind'] },
  ): Promise<StandingIntervention> {
    const found = this.list(caller).find((each) => each.id === id);
    if (found?.intervention.kind === kind) {
      this.#requireOperatorIn(caller, found.scope);
      return found;
    }
    if (found !== undefined) {
      const sentence = `no ${interventionNames[kind]} ${id} stands`;
      throw new QueryError('UnknownIntervention', `${sentence}: ${otherKind(found.intervention.kind)}`);
    }
    const sentence = `no intervention ${id} stands`;
    // What has ended was of any kind: whoever asks may not know of which.
    const query = { actions: endNames, arguments: { id } };
    throw new QueryError('UnknownIntervention', await this.#earlier.describe(caller, sentence, query));
  }

  /** For what begins: on a source that is gone nothing does. @throws QueryError `Forbidden`, `UnknownSource` */
  requireOperator(caller: Principal, scope: InterventionScope): void {
    if (scope.kind === 'Source') this.#access.find(caller, scope.source);
    this.#requireOperatorIn(caller, scope);
  }

  #requireOperatorIn(caller: Principal, scope: InterventionScope): void {
    if (scope.kind === 'Source')
      this.#access.requireRoleIn({ caller, role: 'operator', source: scope.source });
    else requireRole(caller, 'operator', namespaceOf(scope));
  }

  /** The roles that the caller has in all that a scope is about, as the end of an intervention wants one. */
  rolesIn(caller: Principal, scope: InterventionScope): readonly Role[] {
    if (scope.kind === 'Source') return this.#access.rolesIn(caller, scope.source);
    const namespace = namespaceOf(scope);
    return roles.filter((role) => mayAct(caller, role, namespace));
  }

  /**
   * Two operators who do the same are one intervention: the second sees that of the first. So is what one person asks for
   * again, in the same words, to end less than a minute later: two hours from now are later with every question.
   */
  requireNew(
    { scope, intervention }: StandingIntervention,
    by: { readonly actor: string; readonly reason: string | null },
  ): void {
    const wanted = sameAs(scope, intervention);
    const end = Date.parse(intervention.expires);
    const endsFor = ({ expires, ...own }: Intervention): boolean => {
      const isAgain = own.actor === by.actor && own.reason === by.reason;
      return Date.parse(expires) + (isAgain ? sameEndMilliseconds : 0) > end || Date.parse(expires) === end;
    };
    const standing = this.#interventions
      .list()
      .find((each) => sameAs(each.scope, each.intervention) === wanted && endsFor(each.intervention));
    if (standing === undefined) return;
    const { actor, reason, expires } = standing.intervention;
    const message = `${actor ?? 'somebody'} did the same before, until ${expires} (${reason ?? ''}): ${standing.id}`;
    throw new QueryError('AlreadyInForce', message, { standing });
  }
}

/** What ends an intervention of the kind, in each of the APIs. */
function otherKind(kind: Intervention['kind']): string {
  const [mutation, command] = ends[kind];
  return `it is ${kind === 'Override' ? 'an' : 'a'} ${interventionNames[kind]}, which ${mutation} or "plimsoll ${command}" ends`;
}

const ends: Readonly<Record<Intervention['kind'], readonly [mutation: string, command: string]>> = {
  Suspend: ['endSuspension', 'unsuspend'],
  Override: ['endOverride', 'unsuspend'],
  DryRun: ['endDryRun', 'dry-run off'],
};

const endNames: readonly OperatorActionName[] = ['EndSuspension', 'EndOverride', 'EndDryRun'];

function isWanted(
  { scope, intervention }: StandingIntervention,
  { kind, namespace, actor }: InterventionFilter,
): boolean {
  const own = 'namespace' in scope ? scope.namespace : undefined;
  return (
    (kind === undefined || kind.includes(intervention.kind)) &&
    (namespace === undefined || (own !== undefined && namespace.includes(own))) &&
    (actor === undefined || intervention.actor === actor)
  );
}

/** What two interventions have in common that do the same. */
function sameAs(scope: InterventionScope, intervention: Intervention): string {
  const { kind } = intervention;
  const { direction = null } = intervention.kind === 'Suspend' ? intervention : {};
  const { minReplicas, maxReplicas, replicas }: OverriddenCounts =
    intervention.kind === 'Override' ? intervention : {};
  const counts = [minReplicas ?? null, maxReplicas ?? null, replicas ?? null];
  return canonicalJson([{ ...scope }, kind, direction, counts]);
}
