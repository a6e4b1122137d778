import type { PolicyVersion, RevisionRecord } from '#git-sync';
import { type Instant, namespacedName, parseInstant } from '#kernel';
import {
  type EntryKind,
  type EntryOf,
  type LedgerPort,
  type ListedEntry,
  parseEntryId,
  type PolicyKey,
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
import { cursorText, entryCursorOf, type Page, type PageRequest, pageSizeOf } from './page.ts';
import { QueryError } from './query-error.ts';
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
  readonly stream?: string | undefined;
  readonly action?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** What the admin API asks. GraphQL and REST stand on it; it knows neither. */
export class AdminQueries {
  readonly #ledger: LedgerPort;
  readonly #activePolicies: ActivePoliciesPort;
  readonly #statuses: StatusRegistry;
  readonly #sources: SourceOperations;
  readonly #reconciler: Pick<Reconciler, 'listOrphanedHpas'>;
  readonly #clock: Pick<ClockPort, 'now'>;

  constructor(ports: {
    readonly ledger: LedgerPort;
    readonly activePolicies: ActivePoliciesPort;
    readonly statuses: StatusRegistry;
    readonly sources: SourceOperations;
    readonly reconciler: Pick<Reconciler, 'listOrphanedHpas'>;
    readonly clock: Pick<ClockPort, 'now'>;
  }) {
    this.#ledger = ports.ledger;
    this.#activePolicies = ports.activePolicies;
    this.#statuses = ports.statuses;
    this.#sources = ports.sources;
    this.#reconciler = ports.reconciler;
    this.#clock = ports.clock;
  }

  /** Policies in force by `namespace/name`, of one namespace where that is given. */
  listPolicies(page: PageRequest, namespace?: string | null): Page<PolicyView> {
    const first = pageSizeOf(page);
    const after = page.after ?? '';
    const all = this.#activePolicies
      .listActivePolicies()
      .map((active) => ({ key: namespacedName(active.policy), active }))
      .filter(({ key, active }) => key > after && isIn(active, namespace))
      .sort((left, right) => (left.key < right.key ? -1 : 1));
    return {
      items: all.slice(0, first).map(({ key, active }) => ({ item: this.#view(active), cursor: key })),
      hasMore: all.length > first,
    };
  }

  /** One policy in force. */
  findPolicy(policy: PolicyKey): PolicyView | null {
    const key = namespacedName(policy);
    const active = this.#activePolicies
      .listActivePolicies()
      .find((one) => namespacedName(one.policy) === key);
    return active === undefined ? null : this.#view(active);
  }

  /** Decisions, newest first. Verdicts that repeat one are folded into it and not listed. */
  listDecisions(page: PageRequest, filter: DecisionFilter): Promise<Page<EntryOf<'Decision'>>> {
    return this.#list(page, { ...filter, kind: 'Decision', stream: streamOf(filter.policy) });
  }

  /** Changes of replica counts, newest first. */
  listScalingEvents(page: PageRequest, policy?: PolicyKey): Promise<Page<EntryOf<'ScalingEvent'>>> {
    return this.#list(page, { kind: 'ScalingEvent', stream: streamOf(policy) });
  }

  /** Writes of HPAs and what became of them, newest first. */
  listActuationOutcomes(page: PageRequest, policy?: PolicyKey): Promise<Page<EntryOf<'ActuationOutcome'>>> {
    return this.#list(page, { kind: 'ActuationOutcome', stream: streamOf(policy) });
  }

  /** What the statuses of policies' HPAs said, newest first. */
  listHpaObservations(page: PageRequest, policy?: PolicyKey): Promise<Page<EntryOf<'HpaObservation'>>> {
    return this.#list(page, { kind: 'HpaObservation', stream: streamOf(policy) });
  }

  /** Policies that came, changed or went, newest first. */
  listPolicyChanges(page: PageRequest, policy?: PolicyKey): Promise<Page<EntryOf<'PolicyChange'>>> {
    return this.#list(page, { kind: 'PolicyChange', stream: streamOf(policy) });
  }

  /** Changes of how policies are carried out, newest first. */
  listStrategyChanges(page: PageRequest, policy?: PolicyKey): Promise<Page<EntryOf<'StrategyChange'>>> {
    return this.#list(page, { kind: 'StrategyChange', stream: streamOf(policy) });
  }

  /** Syncs that found something new, or failed, newest first. */
  listSyncRuns(page: PageRequest): Promise<Page<EntryOf<'SyncRun'>>> {
    return this.#list(page, { kind: 'SyncRun', stream: syncStream });
  }

  /** One decision by its id; null where there is none of it. */
  async findDecision(id: string): Promise<EntryOf<'Decision'> | null> {
    const address = parseEntryId(id);
    const entry = address === null ? null : await this.#ledger.entry(address);
    return entry?.kind === 'Decision' ? entry : null;
  }

  /** HPAs that Plimsoll made and that no policy in force explains. */
  listOrphanedHpas(): readonly OwnedAutoscaler[] {
    return this.#reconciler.listOrphanedHpas();
  }

  /** The repositories that policies come from, as configured. */
  listSources(): readonly SourceView[] {
    return this.#sources.listSources();
  }

  /** Commits of a source that were judged, newest first. */
  listRevisions(source: string, page: PageRequest): Promise<readonly RevisionRecord[]> {
    return this.#sources.listRevisions(source, pageSizeOf(page));
  }

  /**
   * Which policy of that name was in force at a time (RFC 3339). The future is not known.
   *
   * @throws QueryError `BadTime`
   */
  findPolicyAt(policy: PolicyKey, time: string): Promise<PolicyVersion | undefined> {
    const instant = instantOf('time', time);
    const now = this.#clock.now();
    if (instant.seconds > Date.parse(now) / 1000)
      throw new QueryError('BadTime', `time is ${shown(time)}, which is in the future: it is ${now}`);
    const utc = new Date(instant.seconds * 1000 + Math.floor(instant.nanos / 1_000_000)).toISOString();
    return this.#sources.versionAt(checkedPolicy(policy), utc);
  }

  async #list<K extends EntryKind>(page: PageRequest, filter: EntryFilter<K>): Promise<Page<EntryOf<K>>> {
    const { items, hasMore } = await this.#ledger.entries({
      kinds: [filter.kind],
      ...(filter.stream === undefined ? {} : { stream: filter.stream }),
      ...(filter.action === undefined ? {} : { action: filter.action }),
      ...bound('from', filter.from),
      ...bound('until', filter.until),
      ...entryCursorOf(page),
      order: 'NewestFirst',
      limit: pageSizeOf(page),
    });
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

function isIn(active: ActivePolicy, namespace: string | null | undefined): boolean {
  return namespace === undefined || namespace === null || active.policy.namespace === namespace;
}

function streamOf(policy: PolicyKey | undefined): string | undefined {
  return policy === undefined ? undefined : policyStream(checkedPolicy(policy));
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
