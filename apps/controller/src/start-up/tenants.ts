import type { ScopeTenant, Tenants } from '../coordination/holdings.ts';
import { leaderScopes, leaderSteps } from './leader-steps.ts';
import type { StartDependencies } from './start-dependencies.ts';
import type { StartStep } from './start-step.ts';
import { StartUp } from './start-up.ts';

/** What a replica does with what it holds. */
export function tenantsOf(dependencies: StartDependencies): Tenants {
  const { reload, store, shards } = dependencies;
  return {
    leader: leaderTenant(Object.values(leaderSteps(dependencies)) as readonly StartStep[]),
    shard: (shard) => shardTenant(shard, dependencies),
    shards,
    leaderScopes: () => leaderScopes(reload.current, store),
  };
}

/**
 * What one replica does for all. Opens the steps in their order and closes them in reverse, once: what they open is not
 * opened again.
 */
export function leaderTenant(steps: readonly StartStep[]): ScopeTenant {
  const startUp = new StartUp(steps);
  let hasEnded = false;
  return {
    take: async (signal) => {
      const end = (): void => startUp.end();
      signal.addEventListener('abort', end, { once: true });
      await startUp.onApplicationBootstrap().finally(() => signal.removeEventListener('abort', end));
    },
    leave: () => {
      hasEnded = true;
      return startUp.onModuleDestroy();
    },
    get hasEnded() {
      return hasEnded;
    },
  };
}

/** The passes of a shard's policies, and the rows of their series. */
export function shardTenant(shard: number, { loop, series, brake }: ShardParts): ScopeTenant {
  return {
    take: () => loop.take(shard),
    leave: async () => {
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
