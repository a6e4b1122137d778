import { maximumStoredReports } from '#adapter-sql';
import type { Hold } from '#git-sync';
import { mapInSteps, namespacedName, runInTimeSlices } from '#kernel';
import type { PolicyKey } from '#ledger';
import type {
  ActivePoliciesPort,
  ActivePolicy,
  ClockPort,
  OrphanedHpa,
  StandingInterventions,
  WindowsPort,
} from '#reconciliation';
import { mayAct, type Principal, visibleNamespaces } from '../../auth/callers/principal.ts';
import type { InterventionLimit } from '../../configuration/intervention-limit.ts';
import type { ModeInForce } from '../../configuration/mode-in-force.ts';
import type { SourceOperations, SourceView } from '../../git-sync/source-operations.ts';
import { type ActiveIndex, indexOfActive, type KeyedPolicy } from '../access/active-index.ts';
import { LoopTurns } from '../requests/loop-turns.ts';
import { keyBehind, keyCursor, type Page, type PageRequest, pageSizeOf } from '../requests/page.ts';
import { SharedAnswers } from '../requests/shared-answers.ts';
import { RejectedCommits } from '../sources/rejected-commits.ts';
import type { SourceAccess } from '../sources/source-access.ts';
import { FleetCount, type FleetSummary } from './fleet-count.ts';
import type { OrphanedHpas } from './orphaned-hpas.ts';
import type { PolicyModes } from './policy-modes.ts';
import type { PolicyReport, PolicyReports } from './policy-reports.ts';
import { type PolicyStanding, PolicyStandings, type PolicyState } from './policy-standing.ts';

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
 * What is asked of the policies in force. Every caller is answered with what is in the namespaces that it may view: what it
 * may not view is answered as what does not exist.
 */
export class PolicyQueries {
  readonly #activePolicies: ActivePoliciesPort;
  readonly #reports: Pick<PolicyReports, 'of'>;
  readonly #orphans: OrphanedHpas;
  readonly #sources: SourceOperations;
  readonly #access: SourceAccess;
  readonly #interventions: Pick<StandingInterventions, 'list'>;
  readonly #controller: Pick<ModeInForce, 'mode'>;
  readonly #interventionLimit: Pick<InterventionLimit, 'maximumHours'>;
  readonly #modes: Pick<PolicyModes, 'now'>;
  readonly #windows: Pick<WindowsPort, 'windowsInForce'>;
  readonly #clock: QueryClock;
  readonly #turns: LoopTurns;
  /** By what their callers may view. */
  readonly #fleets = new SharedAnswers<FleetSummary>();

  constructor(ports: {
    readonly activePolicies: ActivePoliciesPort;
    readonly reports: Pick<PolicyReports, 'of'>;
    readonly orphans: OrphanedHpas;
    readonly sources: SourceOperations;
    readonly access: SourceAccess;
    readonly interventions: Pick<StandingInterventions, 'list'>;
    readonly controller: Pick<ModeInForce, 'mode'>;
    readonly interventionLimit: Pick<InterventionLimit, 'maximumHours'>;
    readonly modes: Pick<PolicyModes, 'now'>;
    readonly windows: Pick<WindowsPort, 'windowsInForce'>;
    readonly clock: QueryClock;
  }) {
    this.#activePolicies = ports.activePolicies;
    this.#reports = ports.reports;
    this.#orphans = ports.orphans;
    this.#sources = ports.sources;
    this.#access = ports.access;
    this.#interventions = ports.interventions;
    this.#controller = ports.controller;
    this.#interventionLimit = ports.interventionLimit;
    this.#modes = ports.modes;
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
    if (!mayAct(caller, 'viewer', policy.namespace)) return null;
    const key = namespacedName(policy);
    const active = this.#index.byKey.get(key);
    if (active === undefined) return null;
    const [view = null] = await this.#views(caller, [{ active }]);
    return view;
  }

  /** HPAs that Plimsoll made and that no policy in force explains, by name. */
  async listOrphanedHpas(caller: Principal): Promise<readonly OrphanedHpa[]> {
    return (await this.#orphans.list()).filter((hpa) => mayAct(caller, 'viewer', hpa.namespace));
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
      maximumInterventionHours: this.#interventionLimit.maximumHours,
      ...counted.summary,
      orphanedHpas: (await this.listOrphanedHpas(caller)).length,
      holds: this.#access.list(caller).flatMap(waiting).length,
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
      sources: this.#access.list(caller),
      interventions: this.#interventions.list(),
      rejected: new RejectedCommits({ sources: this.#sources, access: this.#access, caller }),
      ...{ modeOf: this.#modes.now(), windows: this.#windows, now: this.#clock.now() },
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

function pageItem(item: PolicyView): Page<PolicyView>['items'][number] {
  return { item, cursor: keyCursor('policies', namespacedName(item.active.policy)) };
}

/** What was rejected waits no more. */
function waiting({ holds }: SourceView): readonly Hold[] {
  return holds.filter(({ isRejected }) => !isRejected);
}
