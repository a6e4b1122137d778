import { isJsonObject, type JsonObject } from '#kernel';
import {
  adminStream,
  entryId,
  isLateStream,
  type PolicyKey,
  policyOfStream,
  type UnverifiedEntry,
} from '#ledger';
import { payloadOf } from '../rows/entry-payload.ts';
import { rowContent } from '../rows/entry-rows.ts';
import type { ReportRow } from '../rows/report-row.ts';
import type { FilterMatch } from '../terms/filter-match.ts';
import { timeMilliseconds } from '../terms/period.ts';
import type { ReportFilter, ReportRequest } from '../terms/report-statement.ts';
import { selectsPolicy } from '../terms/selects-policy.ts';
import { PolicyFold } from './policy-fold.ts';
import { maximumGapMilliseconds } from './replica-time.ts';
import { ReportTotals } from './report-totals.ts';

/**
 * Whether a report reads a stream. What concerns no one namespace is in reports that leave no policy out; of what operators
 * do, what concerns a policy or a namespace that is in the report.
 */
export function isReportedStream(filter: ReportFilter, stream: string): boolean {
  const policy = policyOfStream(stream);
  if (policy !== null) return selectsPolicy(filter, policy);
  return stream === adminStream || isUnfiltered(filter);
}

const evidenceKinds: ReadonlySet<string> = new Set([
  'Decision',
  'DecisionRun',
  'ScalingEvent',
  'PolicyChange',
]);
const rowKinds: ReadonlySet<string> = new Set([
  'ScalingEvent',
  'PolicyChange',
  'StrategyChange',
  'OperatorAction',
  'SyncRun',
  'CommitReview',
]);

/**
 * Makes the rows and totals of a report from entries that come stream by stream, each stream in its order. Its state is
 * that of one policy, and a total of each.
 */
export class ReportFold {
  readonly #request: ReportRequest;
  readonly #match: FilterMatch;
  readonly totals: ReportTotals;
  #stream = '';
  #isReported = false;
  #key: PolicyKey | null = null;
  #policy: PolicyFold | null = null;

  constructor(request: ReportRequest, match: FilterMatch) {
    this.#request = request;
    this.#match = match;
    this.totals = new ReportTotals(request.period);
  }

  /** The next entry, as the row that it makes; `null`: it makes none. */
  take(entry: UnverifiedEntry): ReportRow | null {
    this.#turnTo(entry);
    const at = this.#isReported ? timeMilliseconds(entry.time) : null;
    if (at === null) return null;
    this.#meet(entry, at);
    const isInPeriod = this.#isInPeriod(at);
    const policy = this.#isEvidence(entry.kind, at) ? this.#policy : null;
    if (policy === null && !(isInPeriod && rowKinds.has(entry.kind))) {
      this.#policy?.begin(at);
      return null;
    }
    const payload = payloadOf(entry);
    policy?.take(entry.kind, at, payload);
    return isInPeriod ? this.#rowOf(entry, at, payload) : null;
  }

  /** Ends the last stream. */
  end(): void {
    const policy = this.#policy;
    this.#policy = null;
    if (policy === null) return;
    this.#match.addTeam(policy.team);
    policy.end(this.#request.period.until);
    const { replicaMilliseconds, unknownMilliseconds, scalingEvents } = policy.total;
    if (replicaMilliseconds + unknownMilliseconds > 0n || scalingEvents > 0)
      this.totals.policies.push(policy.total);
  }

  /** Of which cluster the entries are, and since when there are any. */
  #meet(entry: UnverifiedEntry, at: number): void {
    this.totals.clusters.add(entry.cluster);
    if (this.#isCounted()) this.totals.oldestEntry = Math.min(at, this.totals.oldestEntry ?? at);
  }

  #isInPeriod(at: number): boolean {
    const { from, until } = this.#request.period;
    return at >= from && at < until;
  }

  /** What lies too far from the period says nothing about it, but for what the policy is. */
  #isEvidence(kind: string, at: number): boolean {
    const { from, until } = this.#request.period;
    if (!evidenceKinds.has(kind) || at > until + maximumGapMilliseconds) return false;
    return kind === 'PolicyChange' || at >= from - maximumGapMilliseconds;
  }

  #turnTo({ stream, seq }: UnverifiedEntry): void {
    if (stream === this.#stream) return;
    this.end();
    this.#stream = stream;
    const policy = policyOfStream(stream);
    this.#key = policy;
    const { filter, period } = this.#request;
    this.#isReported = isReportedStream(filter, stream);
    if (policy === null || isLateStream(stream) || !this.#isReported) return;
    this.#policy = new PolicyFold(policy, {
      totals: this.totals,
      teamLabel: filter.teamLabel,
      counts: (team) => selectsTeam(filter, team),
      // What was before the first entry that retention left is not known.
      since: seq === 1n ? null : period.from,
    });
  }

  /** Whom an action concerns is known by its content alone: when and how many there are is for those who may see all. */
  #isCounted(): boolean {
    return this.#key !== null || this.#request.filter.visibleNamespaces === null;
  }

  #rowOf(entry: UnverifiedEntry, at: number, payload: JsonObject | null): ReportRow | null {
    if (payload === null) {
      if (this.#isCounted()) this.totals.entriesWithoutContent += 1;
      return null;
    }
    const content = rowContent(entry.kind, payload);
    if (content === null) return null;
    const { time } = entry;
    const { namespace, policy } = placeOf(this.#key ?? concernedPolicy(payload));
    const total = this.#policy?.total ?? null;
    const row = { ...content, namespace, policy, time, team: total?.team ?? null, entry: entryId(entry) };
    if (!selectsRow(this.#request.filter, row)) return null;
    this.totals.addRow(row, at, total);
    return row;
  }
}

type Place = { readonly namespace: string; readonly name: string | null };

function placeOf(policy: Place | null): Pick<ReportRow, 'namespace' | 'policy'> {
  return { namespace: policy?.namespace ?? null, policy: policy?.name ?? null };
}

/** The policy or the namespace that an operator's action concerns; `null`: it concerns more than one. */
function concernedPolicy(payload: JsonObject): Place | null {
  const given = payload['arguments'];
  if (!isJsonObject(given)) return null;
  const { policy, namespace } = given;
  if (typeof policy === 'string') {
    const slash = Math.max(0, policy.indexOf('/'));
    return { namespace: policy.slice(0, slash), name: policy.slice(slash + 1) };
  }
  return typeof namespace === 'string' ? { namespace, name: null } : null;
}

function isUnfiltered({ namespaces, policies, teams, visibleNamespaces }: ReportFilter): boolean {
  return namespaces === null && policies === null && teams === null && visibleNamespaces === null;
}

function selectsTeam({ teams }: ReportFilter, team: string | null): boolean {
  return teams === null || (team !== null && teams.includes(team));
}

function selectsRow(filter: ReportFilter, { namespace, policy, team }: ReportRow): boolean {
  if (isUnfiltered(filter)) return true;
  if (namespace === null) return false;
  const isOfPolicy =
    policy === null
      ? filter.policies === null && selectsPolicy(filter, { namespace, name: '' })
      : selectsPolicy(filter, { namespace, name: policy });
  return isOfPolicy && selectsTeam(filter, team);
}
