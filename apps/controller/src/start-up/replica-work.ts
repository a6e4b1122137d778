import type { ReplicaWork, ScopeWork } from '../coordination/holdings/holdings.ts';
import { leaderScopes, leaderSteps } from './leader-steps.ts';
import type { StartDependencies } from './start-dependencies.ts';
import type { StartStep } from './start-step.ts';
import { StartUp } from './start-up.ts';

/** What a replica does with what it holds. */
export function replicaWorkOf(dependencies: StartDependencies): ReplicaWork {
  const { reload, store, shards } = dependencies;
  return {
    leader: leaderWork(Object.values(leaderSteps(dependencies)) as readonly StartStep[]),
    shard: (shard) => shardWork(shard, dependencies),
    shards,
    leaderScopes: () => leaderScopes(reload.current, store),
  };
}

/**
 * What one replica does for all. Opens the steps in their order and closes them in reverse, once: what they open is not
 * opened again.
 */
export function leaderWork(steps: readonly StartStep[]): ScopeWork {
  const startUp = new StartUp(steps);
  let hasEnded = false;
  return {
    begin: async (signal) => {
      const end = (): void => startUp.end();
      signal.addEventListener('abort', end, { once: true });
      await startUp.onApplicationBootstrap().finally(() => signal.removeEventListener('abort', end));
    },
    end: () => {
      hasEnded = true;
      return startUp.onModuleDestroy();
    },
    get hasEnded() {
      return hasEnded;
    },
  };
}

/** The passes of a shard's policies, and the rows of their series. */
export function shardWork(shard: number, { loop, series, brake }: ShardParts): ScopeWork {
  return {
    begin: () => loop.take(shard),
    end: async () => {
      // Series that cannot be stored keep no shard.
      await loop.giveUp(shard).finally(() => {
        brake.leave(shard);
        return series.leave(shard).catch(() => undefined);
      });
    },
  };
}

interface ShardParts {
  readonly loop: Pick<StartDependencies['loop'], 'take' | 'giveUp'>;
  readonly series: Pick<StartDependencies['series'], 'leave'>;
  readonly brake: Pick<StartDependencies['brake'], 'leave'>;
}
