import type { PolicyVersion, RevisionRecord } from '#git-sync';
import { type Instant, namespacedName, parseInstant } from '#kernel';
import {
  type EntryKind,
  type EntryOf,
  type EntryQuery,
  type LedgerPort,
  type ListedEntry,
  parseEntryId,
  type PolicyKey,
  policyOfStream,
  policyStream,
  syncStream,
} from '#ledger';
import type {
  ActivePoliciesPort,
  ActivePolicy,
  ClockPort,
  OwnedAutoscaler,
  PassReport,
  Reconciler,
} from '#reconciliation';
import { mayAct, type NamespaceScope, type Principal, visibleNamespaces } from '../auth/principal.ts';
import { cursorText, entryCursorOf, type Page, type PageRequest, pageSizeOf } from './page.ts';
import { QueryError } from './query-error.ts';
import { readVisible } from './read-visible.ts';
import type { SourceAccess } from './source-access.ts';
import type { SourceOperations, SourceView } from './source-operations.ts';
import type { StatusRegistry } from './status-registry.ts';

/** A policy in force and what is known of it now. */
export interface PolicyView {
  readonly active: ActivePolicy;
  /** Absent until its first pass ends. */
  readonly report: PassReport | undefined;
}

/** Which decisions. */
export interface DecisionFilter {
  readonly policy?: PolicyKey | undefined;
  readonly action?: string | undefined;
  /** RFC 3339, inclusive. */
  readonly from?: string | undefined;
  /** RFC 3339, exclusive. */
  readonly until?: string | undefined;
}

interface EntryFilter<K extends EntryKind> {
  readonly kind: K;
  readonly policy?: PolicyKey | undefined;
  readonly action?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** Where the entries are: in one stream, or in those of namespaces. */
interface PlacedFilter<K extends EntryKind> extends Omit<EntryFilter<K>, 'policy'> {
  readonly stream?: string;
  readonly namespaces?: NamespaceScope;
  /** There are none that the caller may see. */
  readonly isEmpty?: boolean;
}

/**
 * What the admin API asks. GraphQL and REST stand on it; it knows neither. Every caller is answered with what is in the
 * namespaces that it may view: what it may not view is answered as what does not exist.
 */
export class AdminQueries {
  readonly #ledger: LedgerPort;
  readonly #activePolicies: ActivePoliciesPort;
  readonly #statuses: StatusRegistry;
  readonly #sources: SourceOperations;
  readonly #access: SourceAccess;
  readonly #reconciler: Pick<Reconciler, 'listOrphanedHpas'>;
  readonly #clock: Pick<ClockPort, 'now'>;

  constructor(ports: {
    readonly ledger: LedgerPort;
    readonly activePolicies: ActivePoliciesPort;
    readonly statuses: StatusRegistry;
    readonly sources: SourceOperations;
    readonly access: SourceAccess;
    readonly reconciler: Pick<Reconciler, 'listOrphanedHpas'>;
    readonly clock: Pick<ClockPort, 'now'>;
  }) {
    this.#ledger = ports.ledger;
    this.#activePolicies = ports.activePolicies;
    this.#statuses = ports.statuses;
    this.#sources = ports.sources;
    this.#access = ports.access;
    this.#reconciler = ports.reconciler;
    this.#clock = ports.clock;
  }

  /** Policies in force by `namespace/name`, of one namespace where that is given. */
  listPolicies(caller: Principal, page: PageRequest, namespace?: string | null): Page<PolicyView> {
    const first = pageSizeOf(page);
    const after = page.after ?? '';
    const all = this.#activePolicies
      .listActivePolicies()
      .map((active) => ({ key: namespacedName(active.policy), active }))
      .filter(({ key, active }) => key > after && isIn(active, namespace) && isVisible(caller, active.policy))
      .sort((left, right) => (left.key < right.key ? -1 : 1));
    return {
      items: all.slice(0, first).map(({ key, active }) => ({ item: this.#view(active), cursor: key })),
      hasMore: all.length > first,
    };
  }

  /** One policy in force. */
  findPolicy(caller: Principal, policy: PolicyKey): PolicyView | null {
    if (!isVisible(caller, policy)) return null;
    const key = namespacedName(policy);
    const active = this.#activePolicies
      .listActivePolicies()
      .find((one) => namespacedName(one.policy) === key);
    return active === undefined ? null : this.#view(active);
  }

  /** Decisions, newest first. Verdicts that repeat one are folded into it and not listed. */
  listDecisions(
    caller: Principal,
    page: PageRequest,
    filter: DecisionFilter,
  ): Promise<Page<EntryOf<'Decision'>>> {
    return this.#list(caller, page, { ...filter, kind: 'Decision' });
  }

  /** Changes of replica counts, newest first. */
  listScalingEvents(
    caller: Principal,
    page: PageRequest,
    policy?: PolicyKey,
  ): Promise<Page<EntryOf<'ScalingEvent'>>> {
    return this.#list(caller, page, { kind: 'ScalingEvent', policy });
  }

  /** Writes of HPAs and what became of them, newest first. */
  listActuationOutcomes(
    caller: Principal,
    page: PageRequest,
    policy?: PolicyKey,
  ): Promise<Page<EntryOf<'ActuationOutcome'>>> {
    return this.#list(caller, page, { kind: 'ActuationOutcome', policy });
  }

  /** What the statuses of policies' HPAs said, newest first. */
  listHpaObservations(
    caller: Principal,
    page: PageRequest,
    policy?: PolicyKey,
  ): Promise<Page<EntryOf<'HpaObservation'>>> {
    return this.#list(caller, page, { kind: 'HpaObservation', policy });
  }

  /** Policies that came, changed or went, newest first. */
  listPolicyChanges(
    caller: Principal,
    page: PageRequest,
    policy?: PolicyKey,
  ): Promise<Page<EntryOf<'PolicyChange'>>> {
    return this.#list(caller, page, { kind: 'PolicyChange', policy });
  }

  /** Changes of how policies are carried out, newest first. */
  listStrategyChanges(
    caller: Principal,
    page: PageRequest,
    policy?: PolicyKey,
  ): Promise<Page<EntryOf<'StrategyChange'>>> {
    return this.#list(caller, page, { kind: 'StrategyChange', policy });
  }

  /** Syncs that found something new, or failed, newest first; they are of all namespaces at once. */
  async listSyncRuns(caller: Principal, page: PageRequest): Promise<Page<EntryOf<'SyncRun'>>> {
    return this.#page(page, {
      kind: 'SyncRun',
      stream: syncStream,
      isEmpty: !mayAct(caller, 'viewer', null),
    });
  }

  /** One decision by its id; null where there is none of it. */
  async findDecision(caller: Principal, id: string): Promise<EntryOf<'Decision'> | null> {
    const address = parseEntryId(id);
    const policy = address === null ? null : policyOfStream(address.stream);
    if (address === null || policy === null || !isVisible(caller, policy)) return null;
    const entry = await this.#ledger.entry(address);
    return entry?.kind === 'Decision' ? entry : null;
  }

  /** HPAs that Plimsoll made and that no policy in force explains. */
  listOrphanedHpas(caller: Principal): readonly OwnedAutoscaler[] {
    return this.#reconciler.listOrphanedHpas().filter((hpa) => isVisible(caller, hpa));
  }

  /** The repositories that policies come from, as configured. */
  listSources(caller: Principal): readonly SourceView[] {
    return this.#access.list(caller);
  }

  /** Commits of a source that were judged, newest first; none where the caller may not see all of the source. */
  async listRevisions(
    caller: Principal,
    page: PageRequest,
    source: string,
  ): Promise<readonly RevisionRecord[]> {
    const limit = pageSizeOf(page);
    return this.#access.isWholeVisible(caller, source) ? this.#sources.listRevisions(source, limit) : [];
  }

  /**
   * Which policy of that name was in force at a time (RFC 3339). The future is not known.
   *
   * @throws QueryError `BadTime`
   */
  async findPolicyAt(caller: Principal, policy: PolicyKey, time: string): Promise<PolicyVersion | undefined> {
    const instant = instantOf('time', time);
    const now = this.#clock.now();
    if (instant.seconds > Date.parse(now) / 1000)
      throw new QueryError('BadTime', `time is ${shown(time)}, which is in the future: it is ${now}`);
    const utc = new Date(instant.seconds * 1000 + Math.floor(instant.nanos / 1_000_000)).toISOString();
    const key = checkedPolicy(policy);
    return isVisible(caller, key) ? this.#sources.versionAt(key, utc) : undefined;
  }

  /** Entries of policies: of one, or of all that the caller may see. */
  #list<K extends EntryKind>(
    caller: Principal,
    page: PageRequest,
    { policy, ...filter }: EntryFilter<K>,
  ): Promise<Page<EntryOf<K>>> {
    if (policy === undefined)
      return this.#page(page, { ...filter, namespaces: visibleNamespaces(caller, 'viewer') });
    const key = checkedPolicy(policy);
    return this.#page(page, { ...filter, stream: policyStream(key), isEmpty: !isVisible(caller, key) });
  }

  async #page<K extends EntryKind>(page: PageRequest, filter: PlacedFilter<K>): Promise<Page<EntryOf<K>>> {
    const query: EntryQuery = {
      kinds: [filter.kind],
      ...(filter.stream === undefined ? {} : { stream: filter.stream }),
      ...(filter.action === undefined ? {} : { action: filter.action }),
      ...bound('from', filter.from),
      ...bound('until', filter.until),
      ...entryCursorOf(page),
      order: 'NewestFirst',
      limit: pageSizeOf(page),
    };
    if (filter.isEmpty === true) return { items: [], hasMore: false };
    const { items, hasMore } = await readVisible(this.#ledger, query, filter.namespaces);
    const ofKind = items.filter((listed): listed is ListedEntry & { readonly entry: EntryOf<K> } => {
      return listed.entry.kind === filter.kind;
    });
    return {
      items: ofKind.map(({ entry, cursor }) => ({ item: entry, cursor: cursorText(cursor) })),
      hasMore,
    };
  }

  #view(active: ActivePolicy): PolicyView {
    return { active, report: this.#statuses.latest(namespacedName(active.policy)) };
  }
}

function isVisible(caller: Principal, { namespace }: { readonly namespace: string }): boolean {
  return mayAct(caller, 'viewer', namespace);
}

function isIn(active: ActivePolicy, namespace: string | null | undefined): boolean {
  return namespace === undefined || namespace === null || active.policy.namespace === namespace;
}

function bound<F extends 'from' | 'until'>(field: F, text: string | undefined): Partial<Record<F, bigint>> {
  if (text === undefined) return {};
  return { [field]: nanosecondsOf(instantOf(field, text)) } as Partial<Record<F, bigint>>;
}

function nanosecondsOf({ seconds, nanos }: Instant): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(nanos);
}

/** Nanoseconds of later times are beyond 64 bits. */
const lastSecond = Date.parse('2262-01-01T00:00:00Z') / 1000;

/**
 * Without a zone a time would be that of wherever the server stands.
 *
 * @throws QueryError `BadTime`
 */
function instantOf(field: string, text: string): Instant {
  const instant = parseInstant(text);
  if (instant !== undefined && instant.seconds >= 0 && instant.seconds < lastSecond) return instant;
  const form = 'a time is RFC 3339 with its zone (2026-11-22T05:00:00Z), from 1970 to 2261';
  throw new QueryError('BadTime', `${field} is ${shown(text)}; ${form}`);
}

/** Longer than any name of Kubernetes. */
const maximumNameCharacters = 253;

/**
 * A policy's name, of which the API server would accept both parts.
 *
 * @throws QueryError `BadName`
 */
function checkedPolicy(policy: PolicyKey): PolicyKey {
  for (const [field, text] of [
    ['namespace', policy.namespace],
    ['name', policy.name],
  ] as const) {
    if (text.length <= maximumNameCharacters && /^[a-z0-9][a-z0-9.-]*$/.test(text)) continue;
    throw new QueryError(
      'BadName',
      `${field} is ${shown(text)}; a name has lower-case letters, digits, - and .`,
    );
  }
  return policy;
}

const shownCharacters = 100;

function shown(text: string): string {
  return JSON.stringify(text.slice(0, shownCharacters));
}
