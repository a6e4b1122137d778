import { decide, type Decision, parseDecideInput } from '#decision';
import type { PolicyVersion } from '#git-sync';
import { isJsonObject, type JsonObject, withoutUndefined } from '#kernel';
import { type EntryOf, type LedgerPort, type PolicyKey, policyStream } from '#ledger';
import type { ClockPort } from '#reconciliation';
import { mayAct, type Principal, visibleNamespaces } from '../../auth/callers/principal.ts';
import type { SourceOperations } from '../../git-sync/source-operations.ts';
import { Batch } from '../requests/batch.ts';
import { checkedPolicy, nanosecondsAt, pastTime, spanOf } from '../requests/check-query.ts';
import { LongReads } from '../requests/long-reads.ts';
import { type Page, type PageRequest, pageSizeOf, placeBefore, placeCursor } from '../requests/page.ts';
import { QueryError } from '../requests/query-error.ts';
import type { BatchedLedger } from './batched-ledger.ts';
import { FlappingCount, type FlappingPolicy } from './flapping-count.ts';

/** The decisions on both sides of a moment. */
export interface DecisionsAround {
  /** Made at that moment or before, newest first: the first was in force. */
  readonly before: readonly EntryOf<'Decision'>[];
  /** Made after it, oldest first. */
  readonly after: readonly EntryOf<'Decision'>[];
  /** The passes that repeated the decision in force; null: none did, or they are not recorded yet. */
  readonly run: EntryOf<'DecisionRun'> | null;
}

/** What would be decided with other bounds, on what was observed last. */
export interface DryDecision {
  /** What the observation was recorded with. */
  readonly recorded: EntryOf<'Decision'>;
  readonly decision: Decision;
}

/** Bounds in the place of a policy's own. */
export interface OtherBounds {
  readonly minReplicas?: number | undefined;
  readonly maxReplicas?: number | undefined;
}

/** The policies that flap, those with the most reversals first. */
export interface FlappingPolicies {
  readonly policies: readonly FlappingPolicy[];
  /** False: there were more changes than are looked through; the oldest are left out. */
  readonly isComplete: boolean;
}

/** Changes that a question is answered from: some 20 ms of the database, 20 MB at most at once. */
const maximumChanges = 20_000;
const changesPerRead = 1_000;
const maximumFlapping = 100;

interface HistoryPorts {
  readonly ledger: Pick<BatchedLedger, 'entries'> & Pick<LedgerPort, 'newestEntry'>;
  readonly sources: Pick<SourceOperations, 'listVersions'>;
  readonly clock: Pick<ClockPort, 'now'>;
}

/** What is asked about a policy over time, and what would be decided for it now. */
export class PolicyHistory {
  readonly #ports: HistoryPorts;
  readonly #reads: LongReads;
  readonly #versions: Batch<
    Parameters<SourceOperations['listVersions']>[0][number],
    Awaited<ReturnType<SourceOperations['listVersions']>>[number]
  >;

  constructor(ports: HistoryPorts) {
    this.#ports = ports;
    this.#reads = new LongReads(ports.ledger);
    this.#versions = new Batch({
      load: (queries) => ports.sources.listVersions(queries),
      maximumQueries: 100,
    });
  }

  /** What a policy was and is, newest first. @throws QueryError */
  async listVersions(caller: Principal, page: PageRequest, policy: PolicyKey): Promise<Page<PolicyVersion>> {
    const key = checkedPolicy(policy);
    const first = pageSizeOf(page);
    const before = placeBefore(page);
    if (!mayAct(caller, 'viewer', key.namespace)) return { items: [], hasMore: false };
    const found = await this.#versions.read({ ...key, ...before, limit: first + 1 });
    const items = found.slice(0, first).map(({ version, place }) => ({
      item: version,
      cursor: placeCursor(place),
    }));
    return { items, hasMore: found.length > first };
  }

  /** Up to `first` decisions on each side of a moment. @throws QueryError `BadTime`, `BadName`, `BadPageSize` */
  async decisionsAround(
    caller: Principal,
    { policy, time, first }: { readonly policy: PolicyKey; readonly time: string; readonly first: number },
  ): Promise<DecisionsAround> {
    const key = checkedPolicy(policy);
    const limit = pageSizeOf({ first });
    const next = nanosecondsAt('time', pastTime('time', time, this.#ports.clock.now())) + 1n;
    if (!mayAct(caller, 'viewer', key.namespace)) return { before: [], after: [], run: null };
    const stream = policyStream(key);
    const decisions = { kinds: ['Decision'], stream, limit } as const;
    const [before, after, runs] = await Promise.all([
      this.#ports.ledger.entries({ ...decisions, order: 'NewestFirst', until: next }),
      this.#ports.ledger.entries({ ...decisions, order: 'OldestFirst', from: next }),
      this.#ports.ledger.entries({
        ...decisions,
        kinds: ['DecisionRun'],
        order: 'OldestFirst',
        from: next - 1n,
        limit: 1,
      }),
    ]);
    const [run] = runs.items.map(({ entry }) => entry as EntryOf<'DecisionRun'>);
    const covers = run !== undefined && nanosecondsAt('first', run.payload.first) < next;
    return { before: decisionsIn(before.items), after: decisionsIn(after.items), run: covers ? run : null };
  }

  /** Policies whose count changed direction at least so often. @throws QueryError `BadTime`, `BadArgument` */
  async listFlapping(
    caller: Principal,
    {
      from,
      until,
      reversals,
      signal,
    }: {
      readonly from: string;
      readonly until?: string | undefined;
      readonly reversals: number;
      /** Of whoever may leave before the answer. */
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<FlappingPolicies> {
    if (!Number.isInteger(reversals) || reversals < 1)
      throw new QueryError('BadArgument', `reversals is ${reversals}; it is at least 1`);
    const scope = visibleNamespaces(caller, 'viewer');
    const flapping = new FlappingCount();
    const isComplete = await this.#reads.each(
      {
        kind: 'ScalingEvent',
        maximum: maximumChanges,
        perRead: changesPerRead,
        ...spanOf({ from, until }),
        ...withoutUndefined({
          namespaces: scope.kind === 'All' ? undefined : scope.patterns,
        }),
      },
      (event) => flapping.add(event),
      signal,
    );
    return { policies: flapping.list(reversals).slice(0, maximumFlapping), isComplete };
  }

  /**
   * What would be decided with other bounds, on the newest recorded observation; null: there is none, or the caller may
   * not see it. Nothing is written.
   *
   * @throws QueryError `BadName`, `BadBounds`
   */
  async decideWith(caller: Principal, policy: PolicyKey, bounds: OtherBounds): Promise<DryDecision | null> {
    const key = checkedPolicy(policy);
    if (!mayAct(caller, 'viewer', key.namespace)) return null;
    const recorded = await this.#ports.ledger.newestEntry({ stream: policyStream(key), kind: 'Decision' });
    if (recorded === null) return null;
    const { input } = recorded.payload;
    const parsed = parseDecideInput({ ...input, policy: withBounds(input.policy, bounds) });
    if (!parsed.ok) throw new QueryError('BadBounds', parsed.error.message);
    return { recorded, decision: decide(parsed.value).decision };
  }
}

function decisionsIn(
  items: readonly { readonly entry: { readonly kind: string } }[],
): readonly EntryOf<'Decision'>[] {
  return items.map(({ entry }) => entry as EntryOf<'Decision'>);
}

function withBounds(policy: JsonObject, bounds: OtherBounds): JsonObject {
  const spec = isJsonObject(policy['spec']) ? policy['spec'] : {};
  return { ...policy, spec: { ...spec, ...withoutUndefined({ ...bounds }) } };
}
