import type { DecisionSummary, EntryOf, EntryReading, PolicyKey } from '#ledger';
import type { Principal } from '../../auth/callers/principal.ts';
import type { Page, PageRequest } from '../requests/page.ts';
import type { AuditTimeline } from './audit-timeline.ts';
import type { DecisionFilter, ScalingEventFilter } from './decision-filter.ts';

/**
 * What is asked of the ledger by the kinds of its entries. Every caller is answered with what is in the namespaces that it
 * may view: what it may not view is answered as what does not exist.
 */
export class LedgerQueries {
  readonly #timeline: AuditTimeline;

  constructor(timeline: AuditTimeline) {
    this.#timeline = timeline;
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

  /** The same decision without how it came about. */
  findDecisionSummary(caller: Principal, id: string): Promise<DecisionSummary | null> {
    return this.#timeline.findSummary(caller, id);
  }
}
