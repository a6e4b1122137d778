import type { PolicyVersion } from '#git-sync';
import { namespacedName, sliceMilliseconds } from '#kernel';
import {
  ChartBuilder,
  type PolicyAt,
  type PolicyChart as Drawn,
  type PolicyCounts,
  type PolicyKey,
  type SeriesChunk,
} from '#ledger';
import { type EffectivePolicy, parsePolicyJson } from '#policy';
import { type ActivePoliciesPort, type ClockPort, effectiveLimits, type WindowsPort } from '#reconciliation';
import { mayAct, type Principal } from '../../auth/callers/principal.ts';
import { isOfDatabase } from '../../database/database-away.ts';
import type { SourceOperations } from '../../git-sync/source-operations.ts';
import type { MetricSeries } from '../../ledger/metric-series.ts';
import { indexOfActive } from '../access/active-index.ts';
import { windowsAt } from '../policies/policy-picture.ts';
import { Batch } from '../requests/batch.ts';
import { checkedPolicy, pastTime } from '../requests/check-query.ts';
import { QueryError } from '../requests/query-error.ts';

/** Which part of a policy's series, in how many steps. */
export interface ChartRequest {
  /** RFC 3339. */
  readonly from: string;
  /** RFC 3339, exclusive; absent: now. */
  readonly until?: string | undefined;
  readonly steps: number;
  /** Of whoever may leave before the answer. */
  readonly signal?: AbortSignal | undefined;
}

/** What passes of a policy saw over time, in a few steps. */
export interface PolicyChart extends Drawn {
  /** The beginnings of the steps, RFC 3339. */
  readonly times: readonly string[];
  readonly until: string;
  /** Of the policy that was in force at the end of each step, with its schedules; null: none was, or none is known. */
  readonly minReplicas: readonly (number | null)[];
  readonly maxReplicas: readonly (number | null)[];
  /** Whether everything until its end is known: `knownUntil` is that end. */
  readonly isComplete: boolean;
  /** RFC 3339: what was seen later may be missing. There were more rows than are read, or another process has not stored its own yet. */
  readonly knownUntil: string;
  /** RFC 3339: what was seen earlier is not shown, since the database does not answer; null: it is. */
  readonly knownFrom: string | null;
}

/** As many points as a wide screen tells apart. */
const maximumSteps = 1_000;
/** Of a pass per 15 s, {@link maximumRows}. */
const maximumDays = 31;
/** Some 300 ms of the main thread, in slices. */
const maximumRows = 200_000;
const dayMilliseconds = 86_400_000;

const versionsPerRead = 100;
/** Further ones are not looked for: a policy that changes a thousand times within a range has no bounds at its beginning. */
const maximumVersions = 1_000;

const recentMinutes = 60;
const minuteMilliseconds = 60_000;

interface ChartPorts {
  readonly series: Pick<MetricSeries, 'read' | 'readCounts' | 'completeUntil' | 'unstored'>;
  readonly activePolicies: ActivePoliciesPort;
  readonly sources: Pick<SourceOperations, 'listVersions'>;
  readonly windows: Pick<WindowsPort, 'windowsInForce'>;
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds' | 'nextTurn'>;
}

type Bounds = Pick<EffectivePolicy, 'minReplicas' | 'maxReplicas'>;

/** What is drawn of a policy: what its passes saw, over time. */
export class PolicyCharts {
  readonly #ports: ChartPorts;
  readonly #counts: Batch<PolicyKey, readonly PolicyCounts[]>;

  constructor(ports: ChartPorts) {
    this.#ports = ports;
    this.#counts = new Batch({ load: (policies) => this.#readCounts(policies), maximumQueries: 100 });
  }

  /**
   * Counts and metrics of a policy; of one that this process decides, what it has in memory where the database does not
   * answer.
   *
   * @throws QueryError `BadTime`, `BadName`, `BadArgument`; AdapterError where nothing of it is in memory
   */
  async chart(caller: Principal, policy: PolicyKey, request: ChartRequest): Promise<PolicyChart | null> {
    const key = checkedPolicy(policy);
    const range = this.#rangeOf(request);
    if (!mayAct(caller, 'viewer', key.namespace)) return null;
    try {
      return await this.#storedChart(key, range, request.signal);
    } catch (error) {
      const kept = isOfDatabase(error) ? this.#ports.series.unstored(key) : [];
      const chart = this.#keptChart(key, range, kept);
      if (chart === null) throw error;
      return chart;
    }
  }

  async #storedChart(
    key: PolicyKey,
    range: StepRange,
    signal: AbortSignal | undefined,
  ): Promise<PolicyChart> {
    const versions = await this.#versions(key, range.from, signal);
    const policyAt: PolicyAt = (time) =>
      versions.find((version) => version.from <= time && time < version.until)?.policy ?? null;
    const builder = new ChartBuilder(range, policyAt);
    const knownUntil = await this.#fold(builder, { policy: key, ...range, signal });
    return this.#drawn({ builder, range, policyAt, knownFrom: null, knownUntil });
  }

  /** By the policy as it is now, which no commit has replaced since the database is away. Null: nothing is in memory. */
  #keptChart(key: PolicyKey, range: StepRange, chunks: readonly SeriesChunk[]): PolicyChart | null {
    const knownFrom = chunks[0]?.columns[0]?.[0];
    if (knownFrom === undefined || knownFrom >= range.until) return null;
    const { byKey } = indexOfActive(this.#ports.activePolicies.listActivePolicies());
    const policy = byKey.get(namespacedName(key))?.policy ?? null;
    const policyAt: PolicyAt = (time) => (time >= knownFrom ? policy : null);
    const builder = new ChartBuilder(range, policyAt);
    for (const chunk of chunks) builder.add(chunk);
    const knownUntil = Math.min(range.until, this.#ports.series.completeUntil(key));
    return this.#drawn({ builder, range, policyAt, knownFrom, knownUntil });
  }

  #drawn({ builder, range, policyAt, knownFrom, knownUntil }: Folded): PolicyChart {
    const step = (range.until - range.from) / range.steps;
    const times = Array.from({ length: range.steps }, (_, index) => range.from + index * step);
    const bounds = times.map((time) => this.#boundsAt(policyAt(time + step - 1), time + step - 1));
    return {
      ...builder.finish(),
      times: times.map((time) => new Date(time).toISOString()),
      until: new Date(range.until).toISOString(),
      minReplicas: bounds.map((each) => each?.minReplicas ?? null),
      maxReplicas: bounds.map((each) => each?.maxReplicas ?? null),
      isComplete: knownFrom === null && knownUntil === range.until,
      knownUntil: new Date(knownUntil).toISOString(),
      knownFrom: knownFrom === null ? null : new Date(knownFrom).toISOString(),
    };
  }

  /**
   * spec.replicas in each of the last 60 minutes, oldest first, as the last pass of the minute saw it; null: there was
   * none. Those of many policies that are asked for side by side are one statement.
   */
  async recentReplicas(caller: Principal, policy: PolicyKey): Promise<readonly (number | null)[]> {
    const counts = mayAct(caller, 'viewer', policy.namespace) ? await this.#counts.read(policy) : [];
    const end = Math.ceil((this.#now + 1) / minuteMilliseconds) * minuteMilliseconds;
    const start = end - recentMinutes * minuteMilliseconds;
    const minutes = new Array<number | null>(recentMinutes).fill(null);
    for (const { times, specReplicas } of counts) {
      for (const [row, time] of times.entries()) {
        const minute = Math.floor((time - start) / minuteMilliseconds);
        const replicas = specReplicas[row] ?? Number.NaN;
        if (minute >= 0 && minute < recentMinutes && !Number.isNaN(replicas)) minutes[minute] = replicas;
      }
    }
    return minutes;
  }

  /** Its own, or its schedules'. */
  #boundsAt(policy: EffectivePolicy | null, milliseconds: number): Bounds | null {
    if (policy === null) return null;
    const time = new Date(milliseconds).toISOString();
    return effectiveLimits(policy, {
      time,
      windows: windowsAt(policy, time, this.#ports.windows),
      interventions: [],
    });
  }

  async #readCounts(policies: readonly PolicyKey[]): Promise<readonly (readonly PolicyCounts[])[]> {
    const until = this.#now + minuteMilliseconds;
    const from = until - (recentMinutes + 2) * minuteMilliseconds;
    const found = await this.#ports.series.readCounts({ policies, from, until });
    const byPolicy = Map.groupBy(found, ({ policy }) => namespacedName(policy));
    return policies.map((policy) => byPolicy.get(namespacedName(policy)) ?? []);
  }

  #rangeOf({ from, until, steps }: ChartRequest): StepRange {
    if (!Number.isInteger(steps) || steps < 1 || steps > maximumSteps)
      throw new QueryError('BadArgument', `steps is ${steps}; a chart has 1 to ${maximumSteps}`);
    const now = this.#ports.clock.now();
    const start = Date.parse(pastTime('from', from, now));
    const end = until === undefined ? this.#now : Date.parse(pastTime('until', until, now));
    if (start >= end) throw new QueryError('BadTime', `until is ${until ?? now}, which is not after ${from}`);
    if (end - start > maximumDays * dayMilliseconds) {
      throw new QueryError(
        'BadTime',
        `a chart covers ${maximumDays} days at most, and this is ${from} to ${until ?? now}`,
      );
    }
    return { from: start, until: end, steps };
  }

  /** Those in force from a time on, newest first. */
  async #versions(
    policy: PolicyKey,
    from: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly VersionSpan[]> {
    const found: VersionSpan[] = [];
    let before = {};
    for (;;) {
      signal?.throwIfAborted();
      const [page = []] = await this.#ports.sources.listVersions([
        { ...policy, ...before, limit: versionsPerRead },
      ]);
      found.push(...page.flatMap(({ version }) => spanOf(version)));
      const last = page.at(-1);
      const reachesBack = last !== undefined && Date.parse(last.version.validFrom) <= from;
      if (
        last === undefined ||
        reachesBack ||
        page.length < versionsPerRead ||
        found.length >= maximumVersions
      )
        return found;
      before = { before: last.place };
    }
  }

  /** @returns until when everything is known, in milliseconds since 1970 */
  async #fold(
    builder: ChartBuilder,
    {
      signal,
      ...query
    }: {
      readonly policy: PolicyKey;
      readonly from: number;
      readonly until: number;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<number> {
    signal?.throwIfAborted();
    const { clock, series } = this.#ports;
    // As of before the read: rows that are stored meanwhile may be in it or not.
    const completeUntil = series.completeUntil(query.policy);
    let rows = 0;
    let last = query.from;
    let started = clock.monotonicMilliseconds();
    for await (const chunk of series.read(query)) {
      signal?.throwIfAborted();
      if (rows >= maximumRows) return last;
      rows += chunk.rows;
      last = Math.max(last, chunk.columns[0]?.at(-1) ?? last);
      builder.add(chunk);
      if (clock.monotonicMilliseconds() - started < sliceMilliseconds) continue;
      await clock.nextTurn();
      started = clock.monotonicMilliseconds();
    }
    return Math.min(query.until, Math.max(last, completeUntil));
  }

  get #now(): number {
    return Date.parse(this.#ports.clock.now());
  }
}

/** In milliseconds since 1970. */
interface StepRange {
  readonly from: number;
  readonly until: number;
  readonly steps: number;
}

/** What a chart is drawn from; times in milliseconds since 1970. */
interface Folded {
  readonly builder: ChartBuilder;
  readonly range: StepRange;
  readonly policyAt: PolicyAt;
  readonly knownFrom: number | null;
  readonly knownUntil: number;
}

/** A policy, and when it was in force, in milliseconds since 1970. */
interface VersionSpan {
  readonly policy: EffectivePolicy;
  readonly from: number;
  readonly until: number;
}

function spanOf({ document, validFrom, validTo }: PolicyVersion): readonly VersionSpan[] {
  if (document === null) return [];
  const policy = parsePolicyJson(document);
  if (!policy.ok) return [];
  const until = validTo === null ? Number.POSITIVE_INFINITY : Date.parse(validTo);
  return [{ policy: policy.value, from: Date.parse(validFrom), until }];
}
