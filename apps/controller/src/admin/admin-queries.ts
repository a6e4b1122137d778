import { maximumStoredReports } from '#adapter-sql';
import type { Hold, PolicyVersion, RevisionRecord } from '#git-sync';
import { mapInSteps, namespacedName, runInTimeSlices } from '#kernel';
import type { DecisionSummary, EntryOf, EntryReading, PolicyKey } from '#ledger';
import type {
  ActivePoliciesPort,
  ActivePolicy,
  ClockPort,
  OrphanedHpa,
  StandingInterventions,
  WindowsPort,
} from '#reconciliation';
import { mayAct, type Principal, visibleNamespaces } from '../auth/principal.ts';
import type { ModeInForce } from '../configuration/mode-in-force.ts';
import type { SourceOperations, SourceView } from '../git-sync/source-operations.ts';
import { type ActiveIndex, indexOfActive, type KeyedPolicy } from './active-index.ts';
import type { AuditTimeline } from './audit-timeline.ts';
import { checkedCommit, checkedPolicy, pastTime } from './check-query.ts';
import type { DecisionFilter, ScalingEventFilter } from './decision-filter.ts';
import { FleetCount, type FleetSummary } from './fleet-count.ts';
import { LoopTurns } from './loop-turns.ts';
import type { OrphanedHpas } from './orphaned-hpas.ts';
import { keyBehind, keyCursor, type Page, type PageRequest, pageSizeOf } from './page.ts';
import type { PolicyReport, PolicyReports } from './policy-reports.ts';
import { type PolicyStanding, PolicyStandings, type PolicyState } from './policy-standing.ts';
import { RejectedCommits } from './rejected-commits.ts';
import { loadDiagnostics, type RevisionDiagnostic } from './revision-diagnostics.ts';
import { SharedAnswers } from './shared-answers.ts';
import type { SourceAccess, VisibleSource } from './source-access.ts';

/** A policy in force and what is known of it now. */
export interface PolicyView {
  readonly active: ActivePolicy;
  /** Absent until its first pass ends. */
  readonly report: PolicyReport | undefined;
  readonly standing: PolicyStanding;
}

/** Which policies in force; what is left out does not narrow. */
export interface PolicyFilter {
  readonly namespaces?: readonly string[] | undefined;
  /** Of which each is to be true. */
  readonly states?: readonly PolicyState[] | null | undefined;
  /** Of whoever may leave before the answer: with states, all policies are looked through. */
  readonly signal?: AbortSignal | undefined;
}

/** By what long lists are gone through in slices, too. */
type QueryClock = Pick<ClockPort, 'now' | 'monotonicMilliseconds' | 'nextTurn' | 'noteWork'>;

/**
 * What the admin API asks. GraphQL and REST stand on it; it knows neither. Every caller is answered with what is in the
 * namespaces that it may view: what it may not view is answered as what does not exist.
 */
export class AdminQueries {
  readonly #timeline: AuditTimeline;
  readonly #activePolicies: ActivePoliciesPort;
  readonly #reports: Pick<PolicyReports, 'of'>;
  readonly #orphans: OrphanedHpas;
  readonly #sources: SourceOperations;
  readonly #access: SourceAccess;
  readonly #interventions: Pick<StandingInterventions, 'list'>;
  readonly #controller: Pick<ModeInForce, 'mode'>;
  readonly #windows: Pick<WindowsPort, 'windowsInForce'>;
  readonly #clock: QueryClock;
  readonly #turns: LoopTurns;
  /** By what their callers may view. */
  readonly #fleets = new SharedAnswers<FleetSummary>();

  constructor(ports: {
    readonly timeline: AuditTimeline;
    readonly activePolicies: ActivePoliciesPort;
    readonly reports: Pick<PolicyReports, 'of'>;
    readonly orphans: OrphanedHpas;
    readonly sources: SourceOperations;
    readonly access: SourceAccess;
    readonly interventions: Pick<StandingInterventions, 'list'>;
    readonly controller: Pick<ModeInForce, 'mode'>;
    readonly windows: Pick<WindowsPort, 'windowsInForce'>;
    readonly clock: QueryClock;
  }) {
    this.#timeline = ports.timeline;
    this.#activePolicies = ports.activePolicies;
    this.#reports = ports.reports;
    this.#orphans = ports.orphans;
    this.#sources = ports.sources;
    this.#access = ports.access;
    this.#interventions = ports.interventions;
    this.#controller = ports.controller;
    this.#windows = ports.windows;
    this.#clock = ports.clock;
    this.#turns = new LoopTurns(ports.clock);
  }

  /** Policies in force by `namespace/name`. */
  async listPolicies(
    caller: Principal,
    page: PageRequest,
    { namespaces, states, signal }: PolicyFilter = {},
  ): Promise<Page<PolicyView>> {
    const first = pageSizeOf(page);
    const after = keyBehind('policies', page) ?? '';
    const wanted = states ?? [];
    const listed = (): readonly KeyedPolicy[] =>
      this.#visible(caller, namespaces).filter(({ key }) => key > after);
    if (wanted.length === 0) {
      const candidates = listed().slice(0, first + 1);
      const views = await this.#views(caller, candidates.slice(0, first));
      return { items: views.map(pageItem), hasMore: candidates.length > first };
    }
    return this.#listOfStates(
      { caller, first, wanted, signal },
      await this.#turns.take(() => Promise.resolve(listed())),
    );
  }

  /** All of them are looked through, where few are in such a state. */
  async #listOfStates(
    {
      caller,
      first,
      wanted,
      signal,
    }: {
      readonly caller: Principal;
      readonly first: number;
      readonly wanted: readonly PolicyState[];
      readonly signal: AbortSignal | undefined;
    },
    candidates: readonly KeyedPolicy[],
  ): Promise<Page<PolicyView>> {
    const items: Page<PolicyView>['items'][number][] = [];
    for (let start = 0; start < candidates.length; start += maximumStoredReports) {
      const part = candidates.slice(start, start + maximumStoredReports);
      const look = (): Promise<readonly PolicyView[]> => {
        // Others' turns may have taken long.
        signal?.throwIfAborted();
        return this.#views(caller, part);
      };
      for (const item of await this.#turns.take(look)) {
        if (!wanted.every((state) => item.standing.states.has(state))) continue;
        if (items.length === first) return { items, hasMore: true };
        items.push(pageItem(item));
      }
    }
    return { items, hasMore: false };
  }

  /** Counts by what may be said of policies. Callers who may view the same are counted for at once. */
  fleet(caller: Principal): Promise<FleetSummary> {
    const key = JSON.stringify(visibleNamespaces(caller, 'viewer'));
    return this.#fleets.of(key, () => this.#countFleet(caller));
  }

  /** One policy in force. */
  async findPolicy(caller: Principal, policy: PolicyKey): Promise<PolicyView | null> {
    if (!isVisible(caller, policy)) return null;
    const key = namespacedName(policy);
    const active = this.#index.byKey.get(key);
    if (active === undefined) return null;
    const [view = null] = await this.#views(caller, [{ active }]);
    return view;
  }

  /**
   * Decisions, newest first, without what they observed: `input.observation` may be null. Verdicts that repeat one are
   * folded into it and not listed.
   */
  listDecisions(
    caller: Principal,
    page: PageRequest,
    filter: DecisionFilter,
  ): Promise<Page<EntryOf<'Decision'>>> {
    return this.#timeline.listEntries(caller, page, {
      ...filter,
      kind: 'Decision',
      isWithoutObservations: true,
    });
  }

  /** The decision of a policy that was recorded last, whatever the clocks said; null: there is none that the caller may see. */
  latestDecision(caller: Principal, policy: PolicyKey): Promise<EntryOf<'Decision'> | null> {
    return this.#timeline.latestDecision(caller, policy);
  }

  /** The same decisions without how they came about, which takes a fraction of reading them. */
  listDecisionSummaries(
    caller: Principal,
    page: PageRequest,
    filter: DecisionFilter,
  ): Promise<Page<DecisionSummary>> {
    return this.#timeline.listSummaries(caller, page, filter);
  }

  /** Changes of replica counts, newest first. */
  listScalingEvents(
    caller: Principal,
    page: PageRequest,
    filter: ScalingEventFilter = {},
  ): Promise<Page<EntryOf<'ScalingEvent'>>> {
    return this.#timeline.listEntries(caller, page, { ...filter, kind: 'ScalingEvent' });
  }

  /** Writes of HPAs and what became of them, newest first. */
  listActuationOutcomes(
    caller: Principal,
    page: PageRequest,
    policy?: PolicyKey,
  ): Promise<Page<EntryOf<'ActuationOutcome'>>> {
    return this.#timeline.listEntries(caller, page, { kind: 'ActuationOutcome', policy });
  }

  /** What the statuses of policies' HPAs said, newest first. */
  listHpaObservations(
    caller: Principal,
    page: PageRequest,
    policy?: PolicyKey,
  ): Promise<Page<EntryOf<'HpaObservation'>>> {
    return this.#timeline.listEntries(caller, page, { kind: 'HpaObservation', policy });
  }

  /** Policies that came, changed or went, newest first. */
  listPolicyChanges(
    caller: Principal,
    page: PageRequest,
    policy?: PolicyKey,
  ): Promise<Page<EntryOf<'PolicyChange'>>> {
    return this.#timeline.listEntries(caller, page, { kind: 'PolicyChange', policy });
  }

  /** Changes of how policies are carried out, newest first. */
  listStrategyChanges(
    caller: Principal,
    page: PageRequest,
    policy?: PolicyKey,
  ): Promise<Page<EntryOf<'StrategyChange'>>> {
    return this.#timeline.listEntries(caller, page, { kind: 'StrategyChange', policy });
  }

  /** Syncs that found something new, or failed, newest first; they are of all namespaces at once. */
  listSyncRuns(caller: Principal, page: PageRequest): Promise<Page<EntryOf<'SyncRun'>>> {
    return this.#timeline.listEntries(caller, page, { kind: 'SyncRun' });
  }

  /** One decision by its id; null where there is none of it. */
  async findDecision(
    caller: Principal,
    id: string,
    reading: EntryReading = {},
  ): Promise<EntryOf<'Decision'> | null> {
    const entry = await this.#timeline.findEntry(caller, id, reading);
    return entry?.kind === 'Decision' ? entry : null;
  }

  /** HPAs that Plimsoll made and that no policy in force explains, by name. */
  async listOrphanedHpas(caller: Principal): Promise<readonly OrphanedHpa[]> {
    return (await this.#orphans.list()).filter((hpa) => isVisible(caller, hpa));
  }

  /** The repositories that policies come from, as configured. */
  listSources(caller: Principal): readonly VisibleSource[] {
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
   * What the newest judgement of a commit (its full hash) came to, however long ago; undefined: none is known, or the
   * caller may not see all of the source.
   */
  async findRevision(caller: Principal, source: string, commit: string): Promise<RevisionRecord | undefined> {
    const hash = checkedCommit(commit);
    return this.#access.isWholeVisible(caller, source)
      ? this.#sources.latestRevision(source, hash)
      : undefined;
  }

  /** What is wrong with a revision; nothing where it is not known, or the caller may not see all of the source. */
  async listDiagnostics(
    caller: Principal,
    source: string,
    commit: string,
  ): Promise<readonly RevisionDiagnostic[]> {
    const revision = await this.findRevision(caller, source, commit);
    return revision === undefined ? [] : loadDiagnostics(this.#sources, revision);
  }

  /**
   * Which policy of that name was in force at a time (RFC 3339). The future is not known.
   *
   * @throws QueryError `BadTime`
   */
  async findPolicyAt(caller: Principal, policy: PolicyKey, time: string): Promise<PolicyVersion | undefined> {
    const utc = pastTime('time', time, this.#clock.now());
    const key = checkedPolicy(policy);
    if (!isVisible(caller, key)) return undefined;
    const [version] = await this.#sources.versionsAt([{ ...key, time: utc }]);
    return version;
  }

  async #countFleet(caller: Principal): Promise<FleetSummary> {
    const visible = this.#index.visibleTo(caller);
    const reports = await this.#reports.of(visible.map(({ active }) => active));
    const standings = this.#standings(caller);
    const counted = new FleetCount();
    const count = mapInSteps(visible, ({ key, active }) => {
      const report = reports.get(key);
      counted.add(report, standings.of(active, report));
    });
    await runInTimeSlices(count, this.#clock, 'fleet: counting states');
    return {
      policies: visible.length,
      mode: this.#controller.mode,
      ...counted.summary,
      orphanedHpas: (await this.listOrphanedHpas(caller)).length,
      holds: this.listSources(caller).flatMap(waiting).length,
    };
  }

  get #index(): ActiveIndex {
    return indexOfActive(this.#activePolicies.listActivePolicies());
  }

  #visible(caller: Principal, namespaces?: readonly string[]): readonly KeyedPolicy[] {
    const visible = this.#index.visibleTo(caller);
    if (namespaces === undefined) return visible;
    const wanted = new Set(namespaces);
    return visible.filter(({ active }) => wanted.has(active.policy.namespace));
  }

  #standings(caller: Principal): PolicyStandings {
    return new PolicyStandings({
      sources: this.listSources(caller),
      interventions: this.#interventions.list(),
      rejected: new RejectedCommits({ sources: this.#sources, access: this.#access, caller }),
      ...{ mode: this.#controller.mode, windows: this.#windows, now: this.#clock.now() },
    });
  }

  async #views(
    caller: Principal,
    policies: readonly { readonly active: ActivePolicy }[],
  ): Promise<readonly PolicyView[]> {
    const standings = this.#standings(caller);
    const reports = await this.#reports.of(policies.map(({ active }) => active));
    return policies.map(({ active }) => {
      const report = reports.get(namespacedName(active.policy));
      return { active, report, standing: standings.of(active, report) };
    });
  }
}

function isVisible(caller: Principal, { namespace }: { readonly namespace: string }): boolean {
  return mayAct(caller, 'viewer', namespace);
}

function pageItem(item: PolicyView): Page<PolicyView>['items'][number] {
  return { item, cursor: keyCursor('policies', namespacedName(item.active.policy)) };
}

/** What was rejected waits no more. */
function waiting({ holds }: SourceView): readonly Hold[] {
  return holds.filter(({ isRejected }) => !isRejected);
}
