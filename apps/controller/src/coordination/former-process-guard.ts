import type { LeasePort } from '#coordination';
import { type ElectedHolder, type FencePort, formerScope, type SeenScope, shardOfScope } from '#ledger';
import type { FieldLogger } from '../logging/field-logger.ts';
import type { ElectionFences } from './election-tools.ts';

export interface FormerProcessGuardOptions {
  readonly fences: ElectionFences;
  readonly leases: Pick<LeasePort, 'list'>;
  /** What the Leases of replicas are called, less their identity. */
  readonly replicaPrefix: string;
  readonly identity: string;
  readonly logger: FieldLogger;
}

/**
 * Fences of which no replica gets a shard's while a process goes on that knows nothing of Leases: one of a release before
 * the shards carries all policies out, under a scope of its own. A replica has a Lease under the identity that it holds
 * fences by; such a process has none.
 */
export class FormerProcessGuard implements ElectionFences {
  readonly #options: FormerProcessGuardOptions;
  /** Holder of the former scope, at the last look at a shard; null: none, or a replica. */
  #former: string | null = null;

  constructor(options: FormerProcessGuardOptions) {
    this.#options = options;
  }

  /** Looks for such a process, too, before the Lease of a shard is competed for. */
  async look(scopes: readonly string[]): Promise<readonly SeenScope[]> {
    if (scopes.some(isOfShard)) this.#note(await this.#findFormer());
    return this.#options.fences.look(scopes);
  }

  takeElected(seen: readonly SeenScope[], elected: ElectedHolder): ReturnType<FencePort['takeElected']> {
    const isRefused = this.#former !== null && seen.some(({ scope }) => isOfShard(scope));
    return isRefused
      ? Promise.resolve({ ok: false, error: { code: 'ScopeHeld' } })
      : this.#options.fences.takeElected(seen, elected);
  }

  take(...given: Parameters<FencePort['take']>): ReturnType<FencePort['take']> {
    return this.#options.fences.take(...given);
  }

  renew(...given: Parameters<FencePort['renew']>): ReturnType<FencePort['renew']> {
    return this.#options.fences.renew(...given);
  }

  giveUp(...given: Parameters<FencePort['giveUp']>): ReturnType<FencePort['giveUp']> {
    return this.#options.fences.giveUp(...given);
  }

  async #findFormer(): Promise<string | null> {
    const { fences, leases, replicaPrefix, identity } = this.#options;
    const holder = (await fences.look([formerScope]))[0]?.holder ?? null;
    if (holder === null || holder === identity) return null;
    const listed = await leases.list();
    return listed.some(({ name }) => name === `${replicaPrefix}${holder}`) ? null : holder;
  }

  #note(former: string | null): void {
    const { logger } = this.#options;
    const before = this.#former;
    this.#former = former;
    if (former === before) return;
    if (former === null) {
      logger.info({ holder: before }, 'the process without Leases has ended');
    } else {
      logger.warn(
        { holder: former },
        'no shard is taken: a process without Leases carries all policies out; stop it (docs/replicas.md)',
      );
    }
  }
}

function isOfShard(scope: string): boolean {
  return shardOfScope(scope) !== undefined;
}
