import { withoutUndefined } from '#kernel';
import {
  type DecisionSummary,
  type EntryAddress,
  type EntryKind,
  entryKinds,
  type EntryOf,
  type EntryPage,
  type EntryQuery,
  type EntryReading,
  type LedgerEntry,
  namespaceOfEntry,
  parseEntryId,
  type PolicyKey,
  policyOfStream,
} from '#ledger';
import {
  mayAct,
  type NamespaceScope,
  type Principal,
  visibleNamespaces,
} from '../../auth/callers/principal.ts';
import type { PolicyScopes } from '../access/policy-scopes.ts';
import {
  checkedCommit,
  checkedName,
  checkedPolicy,
  checkedText,
  nanosecondsAt,
  spanOf,
} from '../requests/check-query.ts';
import { cursorText, entryCursorOf, type Page, type PageRequest, pageSizeOf } from '../requests/page.ts';
import { QueryError } from '../requests/query-error.ts';
import type { BatchedLedger } from './batched-ledger.ts';

/** Which entries; what is left out does not narrow. */
export interface AuditFilter {
  /** At least one. */
  readonly kinds?: readonly EntryKind[] | undefined;
  /** Of the policies of these namespaces, and what operators did to them. */
  readonly namespaces?: readonly string[] | undefined;
  /** Of it, and what operators did to it, alone or with all of its namespace, its source, its metrics’ source or the cluster. */
  readonly policy?: PolicyKey | undefined;
  /** The name of a person or token. */
  readonly actor?: string | undefined;
  /** The full object name. */
  readonly commit?: string | undefined;
  /** Of decisions. */
  readonly action?: string | undefined;
  /** RFC 3339, inclusive. */
  readonly from?: string | undefined;
  /** RFC 3339, exclusive. */
  readonly until?: string | undefined;
  /** RFC 3339, inclusive; in the place of `from` and `until`. */
  readonly through?: string | undefined;
  /** Decisions may come without what they observed: `input.observation` is null. */
  readonly isWithoutObservations?: boolean | undefined;
}

type TimelineLedger = Pick<
  BatchedLedger,
  'entries' | 'decisionSummaries' | 'decisionSummaryAt' | 'entry' | 'latestDecision'
>;

/** As many namespaces as one question names. */
const maximumNamespaces = 100;

/**
 * The ledger as one timeline over all streams, newest first. A caller who may not view every namespace sees the entries
 * of policies in those that it may view, and neither syncs nor what concerns the whole cluster.
 */
export class AuditTimeline {
  readonly #ledger: TimelineLedger;
  readonly #scopes: Pick<PolicyScopes, 'namesOf'>;

  constructor(ledger: TimelineLedger, scopes: Pick<PolicyScopes, 'namesOf'>) {
    this.#ledger = ledger;
    this.#scopes = scopes;
  }

  /** Entries of any kind, those included that came late from a process that had been taken over. @throws QueryError */
  async listAuditEntries(
    caller: Principal,
    page: PageRequest,
    filter: AuditFilter,
  ): Promise<Page<LedgerEntry>> {
    const query = scopedQuery(caller, page, filter);
    if (query === null) return nothing;
    const { policy } = query;
    const scopes = policy === undefined ? {} : { scopes: await this.#scopes.namesOf(caller, policy) };
    return pageOf(await this.#ledger.entries({ ...query, ...scopes, isWithLate: true }));
  }

  /** Decisions, without their payloads. @throws QueryError */
  async listSummaries(
    caller: Principal,
    page: PageRequest,
    filter: Omit<AuditFilter, 'kinds'>,
  ): Promise<Page<DecisionSummary>> {
    const query = scopedQuery(caller, page, { ...filter, kinds: ['Decision'] });
    return query === null ? nothing : pageOf(await this.#ledger.decisionSummaries(query));
  }

  /** Entries of one kind; of a policy none that came late, which would pass for its newest. @throws QueryError */
  async listEntries<K extends EntryKind>(
    caller: Principal,
    page: PageRequest,
    { kind, ...filter }: Omit<AuditFilter, 'kinds'> & { readonly kind: K },
  ): Promise<Page<EntryOf<K>>> {
    const query = scopedQuery(caller, page, { ...filter, kinds: [kind] });
    if (query === null) return nothing;
    const { items, hasMore } = pageOf(await this.#ledger.entries(query));
    // They are of the kind that was asked for.
    return { items: items as unknown as Page<EntryOf<K>>['items'], hasMore };
  }

  /**
   * The decision of a policy that was recorded last; null: there is none, or the caller may not see it. A list begins with
   * the one of the latest time, which is another where a clock was ahead. `input.observation` may be null.
   *
   * @throws QueryError `BadName`
   */
  async latestDecision(caller: Principal, policy: PolicyKey): Promise<EntryOf<'Decision'> | null> {
    const key = checkedPolicy(policy);
    return mayAct(caller, 'viewer', key.namespace) ? this.#ledger.latestDecision(key) : null;
  }

  /** One entry by its id; null where the caller may see none of it. */
  async findEntry(caller: Principal, id: string, reading: EntryReading = {}): Promise<LedgerEntry | null> {
    const address = visibleAddress(caller, id);
    const entry = address === null ? null : await this.#ledger.entry(address, reading);
    return entry !== null && maySee(caller, entry) ? entry : null;
  }

  /** One decision by its id, without its payload; null where there is none, or the caller may not see it. */
  async findSummary(caller: Principal, id: string): Promise<DecisionSummary | null> {
    const address = visibleAddress(caller, id);
    const summary = address === null ? null : await this.#ledger.decisionSummaryAt(address);
    return summary !== null && mayAct(caller, 'viewer', summary.policy.namespace) ? summary : null;
  }
}

/** Null: it is no id, or of the stream of a policy that the caller may not view. */
function visibleAddress(caller: Principal, id: string): EntryAddress | null {
  const address = parseEntryId(id);
  const policy = address === null ? null : policyOfStream(address.stream);
  return policy === null || mayAct(caller, 'viewer', policy.namespace) ? address : null;
}

/** Whether an entry is one that the caller may view. */
export function maySee(caller: Principal, entry: LedgerEntry): boolean {
  return mayAct(caller, 'viewer', namespaceOfEntry(entry));
}

const nothing = { items: [], hasMore: false };

/** Null: the caller may see none of what is asked for. */
function scopedQuery(caller: Principal, page: PageRequest, filter: AuditFilter): EntryQuery | null {
  const query = queryOf(page, filter);
  const scope = scopeOf(caller, filter);
  if (scope === null) return null;
  return scope.kind === 'All' ? query : { ...query, namespaces: scope.patterns };
}

function pageOf<E>({ items, hasMore }: EntryPage<E>): Page<E> {
  return { items: items.map(({ entry, cursor }) => ({ item: entry, cursor: cursorText(cursor) })), hasMore };
}

function queryOf(page: PageRequest, filter: AuditFilter): EntryQuery {
  const { kinds = entryKinds, policy, actor, commit, action, through, isWithoutObservations } = filter;
  if (kinds.length === 0) throw new QueryError('BadArgument', 'kinds is empty; leave it out for all kinds');
  return {
    kinds: [...new Set(kinds)],
    order: 'NewestFirst',
    limit: pageSizeOf(page),
    ...entryCursorOf(page),
    ...withoutUndefined({
      policy: policy === undefined ? undefined : checkedPolicy(policy),
      actor: actor === undefined ? undefined : checkedText('actor', actor, actorForm),
      commit: commit === undefined ? undefined : checkedCommit(commit),
      action,
      isWithoutObservations,
    }),
    ...(through === undefined ? spanOf(filter) : { until: nanosecondsAt('through', through) + 1n }),
  };
}

/** Without control characters, which no database takes in a text. */
const actorForm = /^[^\p{Cc}]{1,253}$/u;

/** Null: the caller may see none of what is asked for. */
function scopeOf(caller: Principal, { namespaces, policy }: AuditFilter): NamespaceScope | null {
  const named = namespaces === undefined ? undefined : checkedNamespaces(namespaces);
  if (policy !== undefined) {
    const isAsked = named === undefined || named.includes(policy.namespace);
    return isAsked && mayAct(caller, 'viewer', policy.namespace) ? { kind: 'All' } : null;
  }
  if (named === undefined) return visibleNamespaces(caller, 'viewer');
  const visible = named.filter((name) => mayAct(caller, 'viewer', name));
  return visible.length === 0 ? null : { kind: 'Some', patterns: visible };
}

function checkedNamespaces(namespaces: readonly string[]): readonly string[] {
  if (namespaces.length > maximumNamespaces) {
    throw new QueryError(
      'BadArgument',
      `namespaces has ${namespaces.length} names, at most ${maximumNamespaces}`,
    );
  }
  return namespaces.map((name) => checkedName('namespaces', name));
}
