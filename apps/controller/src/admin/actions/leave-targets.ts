import { z } from 'zod';
import { AdapterError, type Json } from '#kernel';
import type { PolicyKey } from '#ledger';
import type { LeaveOutcome, LeaveTarget, Reconciler } from '#reconciliation';
import type { RequestAnswer, ShardRequests } from '../../coordination/shards/shard-requests.ts';
import type { Shards } from '../../coordination/shards/shards.ts';
import type { LeaveCandidate, LeaveCandidates, LoadedCandidate } from './leave-candidates.ts';

export interface LeaveTargetsOptions {
  readonly candidates: Pick<LeaveCandidates, 'load'>;
  readonly reconciler: Pick<Reconciler, 'leave'>;
  readonly shards: Pick<Shards, 'holds' | 'shardOf'>;
  readonly requests: Pick<ShardRequests, 'ask' | 'handle'>;
}

/** An outcome per policy, by `namespace/name`. */
type LeaveOutcomes = ReadonlyMap<string, LeaveOutcome>;

/**
 * Leaves the targets of policies that are released, each once: those of its own shards itself, and those of others by
 * their holders, which it asks to. A target that was left already stays so, however often it is asked for.
 */
export class LeaveTargets {
  readonly #options: LeaveTargetsOptions;

  constructor(options: LeaveTargetsOptions) {
    this.#options = options;
    options.requests.handle((request) => this.#answer(request));
  }

  /** @throws AdapterError where the documents cannot be read */
  async leave(candidates: readonly LeaveCandidate[], to: LeaveTarget): Promise<LeaveOutcomes> {
    const { shards } = this.#options;
    const own = candidates.filter(({ policy }) => shards.holds(policy));
    const others = candidates.filter(({ policy }) => !shards.holds(policy));
    const [here, there] = await Promise.all([this.#leaveHere(own, to), this.#leaveThere(others, to)]);
    return new Map([...here, ...there]);
  }

  async #leaveHere(candidates: readonly LeaveCandidate[], to: LeaveTarget): Promise<LeaveOutcomes> {
    const loaded = await this.#options.candidates.load(candidates);
    const outcomes = loaded.map(
      async ({ candidate: { key }, left }) =>
        [key, left === null ? unknownDocument : await this.#attempt(left, to)] as const,
    );
    return new Map(await Promise.all(outcomes));
  }

  async #attempt(left: NonNullable<LoadedCandidate['left']>, to: LeaveTarget): Promise<LeaveOutcome> {
    try {
      return await this.#options.reconciler.leave({ ...left, to });
    } catch (error) {
      if (error instanceof AdapterError) return { kind: 'Waiting', message: error.message };
      throw error;
    }
  }

  async #leaveThere(candidates: readonly LeaveCandidate[], to: LeaveTarget): Promise<LeaveOutcomes> {
    if (candidates.length === 0) return new Map();
    const { shards, requests } = this.#options;
    const byShard = Map.groupBy(candidates, ({ policy }) => shards.shardOf(policy));
    const answers = await requests.ask(
      new Map([...byShard].map(([shard, list]) => [shard, requestOf(list, to)])),
    );
    const outcomes = [...byShard].flatMap(([shard, list]) => {
      const answer = answers.get(shard);
      const left = answer?.kind === 'Done' ? answerSchema.safeParse(answer.answer).data : undefined;
      return list.map(({ key }) => [key, left?.[key] ?? notLeft(shard, answer)] as const);
    });
    return new Map(outcomes);
  }

  /** Carries out what the leader asks of one of this process's shards. */
  async #answer(request: Json): Promise<Json> {
    const asked = requestSchema.safeParse(request);
    if (!asked.success) return {};
    const { policies, to } = asked.data;
    return Object.fromEntries(await this.#leaveHere(policies.map(releasedCandidate), to));
  }
}

/** Releases of one version ask and answer: all replicas run the same. */
const requestSchema = z.object({
  to: z.enum(['HorizontalPodAutoscaler', 'None']),
  policies: z.array(z.object({ namespace: z.string(), name: z.string() })),
});
const answerSchema = z.record(
  z.string(),
  z.object({ kind: z.enum(['Done', 'Blocked', 'Waiting']), message: z.string() }),
);

function requestOf(candidates: readonly LeaveCandidate[], to: LeaveTarget): Json {
  return { to, policies: candidates.map(({ policy: { namespace, name } }) => ({ namespace, name })) };
}

function releasedCandidate({ namespace, name }: PolicyKey): LeaveCandidate {
  return { key: `${namespace}/${name}`, policy: { namespace, name }, source: '', active: null };
}

function notLeft(shard: number, answer: RequestAnswer | undefined): LeaveOutcome {
  const why = answer?.kind === 'Failed' ? `could not leave it: ${answer.message}` : 'has not answered';
  return { kind: 'Waiting', message: `the replica that holds shard ${shard} ${why}` };
}

/** Nothing says what the policy asked for. */
export const unknownDocument: LeaveOutcome = {
  kind: 'Blocked',
  message:
    'its document is not stored any more, so that no HPA can be made of it: where something is to scale it, write an autoscaler for it by hand',
};
