import type { Hold, LastSync, SyncOutcome } from '#git-sync';
import type { ActivePoliciesPort } from '#reconciliation';
import { mayAct, type Principal, type Role, roles } from '../../auth/callers/principal.ts';
import type { SourceOperations, SourceView } from '../../git-sync/source-operations.ts';
import { indexOfActive } from '../access/active-index.ts';
import { viewerNeeded } from '../access/not-visible.ts';
import { QueryError } from '../requests/query-error.ts';
import { partsOfEffect } from './hold-effect-text.ts';

/** The namespaces that something is about; null among them: not known, so all there are. */
type Namespaces = readonly (string | null)[];

/** Which role is wanted in all that a source is about, and in further namespaces that it would be about afterwards. */
interface RoleRequest {
  readonly caller: Principal;
  readonly role: Role;
  readonly source: string;
  readonly further?: Namespaces;
}

/** A source as a caller may see it. */
export interface VisibleSource extends SourceView {
  /**
   * The roles that the caller has in every namespace that it is about, as what acts on it as a whole wants them. Without
   * viewer its revisions, what looks said, and what waits for others are left out.
   */
  readonly viewerRoles: readonly Role[];
  /** Of the holds that are left out, what is about policies that the caller may view. */
  readonly partialHolds: readonly PartialHold[];
}

/** How many wait that the caller may not see whole. */
export function notVisibleHoldCount({ partialHolds }: Pick<VisibleSource, 'partialHolds'>): number {
  return partialHolds.filter(({ isRejected }) => !isRejected).length;
}

/** A hold that a caller may not see whole. */
export interface PartialHold extends Pick<Hold, 'commit' | 'since' | 'isRejected'> {
  /** What it would do to policies that the caller may view, by `shop/checkout`: `changed: maxReplicas 20 → 5`. */
  readonly changes: ReadonlyMap<string, string>;
  /** Whether it may change policies of its source that it does not name: it holds all of it, and names some only. */
  readonly mayChangeOthers: boolean;
  /** Which role would show all of it. */
  readonly message: string;
}

/**
 * What callers may see of sources, and do with them. A source is about the namespaces that its policies in force live in;
 * one without any is about all there are. Who may view one of them sees the source, but of it only what is about
 * namespaces that the caller may view; who acts on it as a whole needs the role in all of them.
 *
 * @see docs/access.md
 */
export class SourceAccess {
  readonly #sources: Pick<SourceOperations, 'listSources'>;
  readonly #activePolicies: ActivePoliciesPort;

  constructor(ports: {
    readonly sources: Pick<SourceOperations, 'listSources'>;
    readonly activePolicies: ActivePoliciesPort;
  }) {
    this.#sources = ports.sources;
    this.#activePolicies = ports.activePolicies;
  }

  /** The sources as the caller may see them. */
  list(caller: Principal): readonly VisibleSource[] {
    const sources = this.#sources.listSources();
    const seesAll = mayAct(caller, 'viewer', null);
    const namespaces = this.#namespaces();
    return sources.flatMap((source) => {
      const own = namespacesOf(namespaces, source.name);
      const viewerRoles = roles.filter((role) => hasRoleInAll(caller, role, own));
      if (seesAll) return [{ ...source, viewerRoles, partialHolds: [] }];
      if (!isAnyVisible(caller, own)) return [];
      return [
        { ...visiblePart(source, caller, own), viewerRoles, partialHolds: partialHolds(source, caller, own) },
      ];
    });
  }

  /** One source, as the caller may see it. @throws QueryError `UnknownSource` */
  find(caller: Principal, name: string): VisibleSource {
    const found = this.list(caller).find((source) => source.name === name);
    if (found === undefined)
      throw new QueryError('UnknownSource', `no source is named ${JSON.stringify(name)}`);
    return found;
  }

  /** The roles that the caller has in all of a source, as what acts on it as a whole wants them; none where it is not seen. */
  rolesIn(caller: Principal, name: string): readonly Role[] {
    const own = namespacesOf(this.#namespaces(), name);
    return roles.filter((role) => hasRoleInAll(caller, role, own));
  }

  /** Whether the caller may see all of a source: its revisions, and what was said of them. */
  isWholeVisible(caller: Principal, name: string): boolean {
    return areAllVisible(caller, namespacesOf(this.#namespaces(), name));
  }

  /**
   * For what changes a source as a whole.
   *
   * @throws QueryError `UnknownSource`, `Forbidden`
   */
  requireRole(request: RoleRequest): void {
    this.find(request.caller, request.source);
    this.requireRoleIn(request);
  }

  /**
   * The same where the source may be gone: then it is for what acts on everything.
   *
   * @throws QueryError `Forbidden`
   */
  requireRoleIn({ caller, role, source, further = [] }: RoleRequest): void {
    const wanted = [...namespacesOf(this.#namespaces(), source), ...further];
    if (hasRoleInAll(caller, role, wanted)) return;
    const message = `${caller.name} does not have role ${role} in all namespaces that ${source} is about`;
    throw new QueryError('Forbidden', message);
  }

  /** A hold that the caller may see. @throws QueryError `UnknownSource`, `UnknownHold` */
  findHold(caller: Principal, source: string, digest: string): Hold {
    const found = this.find(caller, source).holds.find((hold) => hold.digest === digest);
    if (found !== undefined) return found;
    throw new QueryError(
      'UnknownHold',
      `${source} has no hold ${digest}; a newer commit may have replaced it`,
    );
  }

  /** For what decides a hold: a tenant's is about the namespaces that it changes. @throws QueryError `Forbidden` */
  requireHoldRole(
    caller: Principal,
    role: Role,
    held: { readonly source: string; readonly hold: Hold },
  ): void {
    const { source, hold } = held;
    if (hasRoleInAll(caller, role, namespacesOfHold(hold, namespacesOf(this.#namespaces(), source)))) return;
    const message = `${caller.name} does not have role ${role} in all namespaces that the hold is about`;
    throw new QueryError('Forbidden', message);
  }

  /** Whether the caller may see every policy that a commit changes. */
  mayViewEffect(caller: Principal, effect: NonNullable<Hold['effect']>): boolean {
    return areAllVisible(caller, namespacesOfEffect(effect));
  }

  /** What came of an action, as the caller may see it. */
  visibleOutcome(caller: Principal, outcome: SyncOutcome): SyncOutcome {
    if (mayAct(caller, 'viewer', null)) return outcome;
    return visibleOutcome(outcome, caller, namespacesOf(this.#namespaces(), outcome.source));
  }

  #namespaces(): ReadonlyMap<string, ReadonlySet<string>> {
    return indexOfActive(this.#activePolicies.listActivePolicies()).namespaces;
  }
}

function namespacesOf(namespaces: ReadonlyMap<string, ReadonlySet<string>>, source: string): Namespaces {
  return [...(namespaces.get(source) ?? [null])];
}

/** A list of an earlier release's does not name them all. */
function namespacesOfHold({ effect, scope }: Hold, ofSource: Namespaces): Namespaces {
  if (effect === undefined) return [null];
  const changing = namespacesOfEffect(effect);
  if (changing.includes(null)) return [null];
  return scope.kind === 'Tenant' && changing.length > 0 ? changing : [...changing, ...ofSource];
}

/** One that was cut off does not name them all. */
function namespacesOfEffect(effect: NonNullable<Hold['effect']>): Namespaces {
  return isListedWhole(effect) ? effect.policies.map(namespaceIn) : [null];
}

function isListedWhole(effect: Hold['effect']): boolean {
  return effect !== undefined && effect.policies.length >= effect.added + effect.changed + effect.removed;
}

function visiblePart(source: SourceView, caller: Principal, own: Namespaces): SourceView {
  const { holds, released, lastSync } = source;
  return {
    ...source,
    holds: visibleHolds(holds, caller, own),
    released: released.filter(({ policy }) => mayAct(caller, 'viewer', namespaceIn(policy))),
    lastSync: lastSync === null ? null : visibleLastSync(lastSync, caller, own),
  };
}

function visibleLastSync(lastSync: LastSync, caller: Principal, own: Namespaces): LastSync {
  return { ...lastSync, outcome: visibleOutcome(lastSync.outcome, caller, own) };
}

/** The message and the diagnostics are about all that the source is about. */
function visibleOutcome(outcome: SyncOutcome, caller: Principal, own: Namespaces): SyncOutcome {
  const holds = visibleHolds(outcome.holds, caller, own);
  return areAllVisible(caller, own)
    ? { ...outcome, holds }
    : { ...outcome, holds, message: '', diagnostics: [] };
}

function visibleHolds(holds: readonly Hold[], caller: Principal, own: Namespaces): readonly Hold[] {
  return holds.filter((hold) => areAllVisible(caller, namespacesOfHold(hold, own)));
}

function partialHolds(
  { name, holds }: SourceView,
  caller: Principal,
  own: Namespaces,
): readonly PartialHold[] {
  return holds.flatMap((hold): readonly PartialHold[] => {
    const namespaces = namespacesOfHold(hold, own);
    if (areAllVisible(caller, namespaces)) return [];
    const changes = new Map(
      (hold.effect?.policies ?? [])
        .map(partsOfEffect)
        .filter(([policy]) => mayAct(caller, 'viewer', namespaceIn(policy))),
    );
    const mayChangeOthers = hold.scope.kind === 'Source' && !isListedWhole(hold.effect);
    if (changes.size === 0 && !mayChangeOthers) return [];
    const message = viewerNeeded(namespaces.includes(null) ? null : name);
    const { commit, since, isRejected } = hold;
    return [{ commit, since, isRejected, changes, mayChangeOthers, message }];
  });
}

function namespaceIn(policy: string): string {
  return policy.slice(0, policy.indexOf('/'));
}

function isAnyVisible(caller: Principal, namespaces: Namespaces): boolean {
  return namespaces.some((namespace) => mayAct(caller, 'viewer', namespace));
}

function areAllVisible(caller: Principal, namespaces: Namespaces): boolean {
  return hasRoleInAll(caller, 'viewer', namespaces);
}

function hasRoleInAll(caller: Principal, role: Role, namespaces: Namespaces): boolean {
  return namespaces.every((namespace) => mayAct(caller, role, namespace));
}
