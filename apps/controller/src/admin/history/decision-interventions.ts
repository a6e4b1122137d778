import { canonicalJson, namespacedName, withoutUndefined } from '#kernel';
import { type EntryOf, type InterventionScope, type LedgerPort, type PolicyKey, scopeName } from '#ledger';
import { parsePolicyJson } from '#policy';
import { type ClockPort, scopesOf } from '#reconciliation';
import { Batch } from '../requests/batch.ts';
import { nanosecondsAt } from '../requests/check-query.ts';
import { LongReads } from '../requests/long-reads.ts';
import { longestIntervention, type PastIntervention, PastInterventions } from './past-interventions.ts';

/** A decision, and the source that its policy came from; null: it is not known. */
interface DecisionOfSource {
  readonly decision: EntryOf<'Decision'>;
  readonly source: string | null;
}

interface Asked {
  readonly policy: PolicyKey;
  /** The names of those that the policy was in beside its own, as its decision was made. */
  readonly scopes: readonly string[];
  /** When the decision was made, in nanoseconds since 1970. */
  readonly time: bigint;
}

/** Actions on the scopes of one policy that are looked through for one answer: some 50 ms of the database. */
const bounds = { maximum: 5_000, perRead: 500 } as const;

/** More than a page has. */
const maximumQueries = 1_000;

/** The interventions that stood as decisions were made, with how each has ended since: from the ledger, which keeps both. */
export class DecisionInterventions {
  readonly #clock: Pick<ClockPort, 'now'>;
  readonly #reads: LongReads;
  readonly #batch: Batch<Asked, readonly PastIntervention[] | null>;

  constructor(ports: {
    readonly ledger: Pick<LedgerPort, 'entries'>;
    readonly clock: Pick<ClockPort, 'now'>;
  }) {
    this.#clock = ports.clock;
    this.#reads = new LongReads(ports.ledger);
    this.#batch = new Batch({ load: (asked) => this.#load(asked), maximumQueries });
  }

  /**
   * Those in whose scope the policy was, those that began last first, whether or not they had a part in the decision. What a
   * caller may view of a policy includes them. Null: there were more actions than are looked through.
   */
  find({ decision, source }: DecisionOfSource): Promise<readonly PastIntervention[] | null> {
    const { policy } = decision.payload;
    const time = nanosecondsAt('time', decision.time);
    return this.#batch.read({ policy, scopes: scopesThen(decision, source).map(scopeName), time });
  }

  /** The decisions of one policy are looked through together. */
  async #load(asked: readonly Asked[]): Promise<readonly (readonly PastIntervention[] | null)[]> {
    const groups = Map.groupBy(asked, ({ policy, scopes }) =>
      canonicalJson([namespacedName(policy), ...scopes]),
    );
    const answers = new Map<Asked, readonly PastIntervention[] | null>();
    await Promise.all(
      [...groups.values()].map(async (group) => {
        const found = await this.#around(group);
        for (const each of group) answers.set(each, found?.filter(stoodAt(each.time)) ?? null);
      }),
    );
    return asked.map((each) => answers.get(each) ?? null);
  }

  /** Those of a policy that may have stood at the time of any of its decisions. */
  async #around(group: readonly Asked[]): Promise<readonly PastIntervention[] | null> {
    const byTime = group.toSorted((one, other) => (one.time < other.time ? -1 : 1));
    const [first, last] = [byTime[0], byTime.at(-1)];
    if (first === undefined || last === undefined) return null;
    const { policy, scopes } = first;
    const present = nanosecondsAt('now', this.#clock.now()) + 1n;
    const latestEnd = last.time + longestIntervention;
    const found = new PastInterventions(() => true);
    const isComplete = await this.#reads.each(
      {
        ...{ ...bounds, kind: 'OperatorAction', policy, scopes },
        from: first.time - longestIntervention,
        until: latestEnd < present ? latestEnd : present,
      },
      (entry) => found.add(entry),
    );
    return isComplete ? found.listBy(present) : null;
  }
}

/** What of more than itself the policy was in, by its document as the decision has it. */
function scopesThen(
  { payload: { policy, input } }: EntryOf<'Decision'>,
  source: string | null,
): readonly InterventionScope[] {
  const parsed = parsePolicyJson(input.policy);
  // Of a document that this build reads no more the sources of its metrics are not known.
  const { metrics = [], recommender } = parsed.ok ? parsed.value : {};
  const scoped = { ...policy, metrics, ...withoutUndefined({ recommender }) };
  return scopesOf({ policy: scoped, origin: { source: source ?? '' } }).filter(
    ({ kind }) => kind !== 'Policy' && (kind !== 'Source' || source !== null),
  );
}

/** Whether one had begun by then, and had not ended. */
function stoodAt(time: bigint): (past: PastIntervention) => boolean {
  return ({ standing, end }) => {
    const { since = null } = standing.intervention;
    const hasBegun = since !== null && nanosecondsAt('since', since) <= time;
    return hasBegun && (end === null || nanosecondsAt('end', end.time) > time);
  };
}
