import { isJsonObject, type Json, type JsonObject } from '#kernel';
import type { PolicyKey } from '#ledger';
import { timeMilliseconds } from '../terms/period.ts';
import { ReplicaTime } from './replica-time.ts';
import type { PolicyTotal, ReportTotals } from './report-totals.ts';
import { emptyTotal } from './report-totals.ts';

/** Folds the stream of one policy: its time, and whose it is. */
export class PolicyFold {
  readonly total: PolicyTotal;
  readonly #time: ReplicaTime;
  readonly #teamLabel: string;
  #hasLeft = false;

  constructor(
    { namespace, name }: PolicyKey,
    {
      totals,
      teamLabel,
      counts,
      since,
    }: {
      readonly totals: ReportTotals;
      readonly teamLabel: string;
      /** Whether a team's time is counted. */
      readonly counts: (team: string | null) => boolean;
      /** From when on the policy may have been there unseen; `null`: it was not. */
      readonly since: number | null;
    },
  ) {
    const total: PolicyTotal = { ...emptyTotal(), namespace, policy: name, team: null };
    this.total = total;
    this.#teamLabel = teamLabel;
    this.#time = new ReplicaTime((span) => {
      if (counts(total.team)) totals.addSpan(total, span);
    }, since);
  }

  get team(): string | null {
    return this.total.team;
  }

  /** The policy is there at a time, and no more is known of it. */
  begin(at: number): void {
    if (!this.#hasLeft) this.#time.begin(at);
  }

  /** Takes an entry; `payload` is `null` where its content is missing. */
  take(kind: string, at: number, payload: JsonObject | null): void {
    // What is written after a departure is about what was before it, until the policy is there again.
    if (kind === 'PolicyChange') this.#takeChange(at, payload);
    else if (kind === 'Decision') this.#takeDecision(at, payload);
    else if (this.#hasLeft) return;
    else if (kind === 'DecisionRun') this.#takeRun(at, payload);
    else if (kind === 'ScalingEvent')
      this.#time.evidence(at, countOf(payload?.['from']), countOf(payload?.['to']));
  }

  /** Ends at the end of the period, or at the last evidence after it. */
  end(at: number): void {
    this.#time.end(at);
  }

  #takeChange(at: number, payload: JsonObject | null): void {
    if (payload === null) return;
    const { after } = payload;
    this.#hasLeft = after === null;
    if (after === null) {
      this.#time.leave(at);
      return;
    }
    this.#time.begin(at);
    this.#takeDocument(after);
  }

  #takeDecision(at: number, payload: JsonObject | null): void {
    this.#hasLeft = false;
    const decision = payload?.['decision'];
    this.#time.evidence(at, isJsonObject(decision) ? countOf(decision['currentReplicas']) : null);
    const input = payload?.['input'];
    if (isJsonObject(input)) this.#takeDocument(input['policy']);
  }

  /** A run repeats the decision before it: where that changed nothing, the count is the one that it wanted. */
  #takeRun(at: number, payload: JsonObject | null): void {
    const first = momentOf(payload?.['first']);
    const last = momentOf(payload?.['last']);
    if (payload === null || first === null || last === null) {
      this.#time.evidence(at, null);
      return;
    }
    const replicas = payload['action'] === 'None' ? countOf(payload['desiredReplicas']) : this.#time.replicas;
    this.#time.evidence(first, replicas);
    this.#time.repeated(last, replicas);
  }

  #takeDocument(document: Json | undefined): void {
    if (!isJsonObject(document)) return;
    const { metadata, spec } = document;
    const labels = isJsonObject(metadata) ? metadata['labels'] : null;
    if (isJsonObject(labels)) {
      const team = labels[this.#teamLabel];
      this.total.team = typeof team === 'string' ? team : null;
    }
    const interval = isJsonObject(spec) ? spec['interval'] : null;
    if (typeof interval === 'string') this.#time.interval(secondsOf(interval));
  }
}

const maximumCount = 2_147_483_647;

function countOf(value: Json | undefined): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maximumCount;
  return isCount ? value : null;
}

function momentOf(value: Json | undefined): number | null {
  return typeof value === 'string' ? timeMilliseconds(value) : null;
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

/** `1h30m` is 5,400. */
function secondsOf(duration: string): number {
  return [...duration.matchAll(/(\d{1,9})([smh])/g)].reduce(
    (sum, [, digits, unit = 's']) => sum + Number(digits) * (unitSeconds[unit] ?? 1),
    0,
  );
}
