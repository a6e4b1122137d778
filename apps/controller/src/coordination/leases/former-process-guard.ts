import type { LeasePort } from '#coordination';
import { type ElectedHolder, type FencePort, formerScope, type SeenScope, shardOfScope } from '#ledger';
import type { FieldLogger } from '../../logging/field-logger.ts';
import type { ElectionFences } from './election-tools.ts';

export interface FormerProcessGuardOptions {
  readonly fences: ElectionFences;
  readonly leases: Pick<LeasePort, 'list'>;
  /** What the Leases of replicas are called, less their identity. */
  readonly replicaPrefix: string;
  readonly identity: string;
  readonly logger: FieldLogger;
}

/** More than hold the former scope one after the other while Leases are deleted under them. */
const maximumKnownReplicas = 64;

/** A process that holds the former scope and has no Lease. */
interface FormerProcess {
  readonly holder: string;
  /** How long it had not renewed the scope when it was looked at last, in milliseconds. */
  readonly silent: number;
  /** Whether it was seen to renew the scope. */
  readonly isAlive: boolean;
  /** Whether the Lease that this replica announces itself by is gone: then another's may be, too. */
  readonly areLeasesDeleted: boolean;
}

/**
 * Fences of which no replica gets a shard's while a process goes on that knows nothing of Leases: one of a release before
 * the shards carries all policies out, under a scope of its own. A replica has a Lease under the identity that it holds
 * fences by; such a process never had one.
 */
export class FormerProcessGuard implements ElectionFences {
  readonly #options: FormerProcessGuardOptions;
  /** Holder of the former scope, at the last look at a shard; null: none, or a replica. */
  #former: FormerProcess | null = null;
  /** Names of the Leases of replicas that were seen, the last one last: one whose Lease somebody deletes still is a replica. */
  #known: readonly string[] = [];

  /** The look that is under way; null: none is. */
  #looking: Promise<void> | null = null;

  constructor(options: FormerProcessGuardOptions) {
    this.#options = options;
  }

  /** Looks for such a process, too, before the Lease of a shard is competed for. */
  async look(scopes: readonly string[]): Promise<readonly SeenScope[]> {
    if (scopes.some(isOfShard)) await this.#lookForFormer();
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

  /** Shards are competed for side by side: of looks that end in another order than they began, a dead holder seems to live. */
  #lookForFormer(): Promise<void> {
    this.#looking ??= this.#findFormer()
      .then((former) => this.#note(former))
      .finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #findFormer(): Promise<FormerProcess | null> {
    const { fences, leases, replicaPrefix, identity } = this.#options;
    const [seen] = await fences.look([formerScope]);
    const holder = seen?.holder ?? null;
    if (holder === null || holder === identity) return null;
    const listed = (await leases.list()).flatMap(({ name }) =>
      name.startsWith(replicaPrefix) ? [name] : [],
    );
    const replicas = [...new Set([...this.#known, ...listed])];
    this.#known = replicas.slice(-maximumKnownReplicas);
    if (replicas.includes(`${replicaPrefix}${holder}`)) return null;
    const silent = seen?.silentMilliseconds ?? Number.POSITIVE_INFINITY;
    const isOwnGone = !listed.includes(`${replicaPrefix}${identity}`);
    return formerAfter(this.#former, { holder, silent, isOwnGone });
  }

  /** One that has ended without giving its scope up looks the same, except that it renews it no more. */
  #note(former: FormerProcess | null): void {
    const { logger } = this.#options;
    const before = this.#former;
    this.#former = former;
    if (former === null) {
      const holder = before?.holder;
      if (before !== null) logger.info({ holder }, 'no process without a Lease holds the ledger any more');
      return;
    }
    const { holder, isAlive } = former;
    if (holder !== before?.holder) {
      logger.info(
        { holder },
        'the ledger was held last by a process without a Lease; this replica takes shards once the leader has taken the ledger over',
      );
    } else if (isAlive && !before.isAlive) {
      logger.warn({ holder }, former.areLeasesDeleted ? unknownHolder : withoutLeases);
    }
  }
}

const withoutLeases =
  'a process without Leases carries policies out, so that this replica takes no further shard; stop it (docs/replicas.md)';

const unknownHolder =
  'Leases are being deleted, that of this replica among them: it is not known whether what carries policies out is a replica or a process without Leases, so that this replica takes no further shard until it has seen a Lease of it';

/** @param isOwnGone whether this replica's own Lease was deleted */
function formerAfter(
  before: FormerProcess | null,
  { isOwnGone, ...seen }: Pick<FormerProcess, 'holder' | 'silent'> & { readonly isOwnGone: boolean },
): FormerProcess {
  const wereDeleted = before?.holder === seen.holder && before.areLeasesDeleted;
  return { ...seen, isAlive: isSeenToRenew(seen, before), areLeasesDeleted: wereDeleted || isOwnGone };
}

/** Whether the same holder has renewed the scope since it was looked at before. */
function isSeenToRenew(
  { holder, silent }: Pick<FormerProcess, 'holder' | 'silent'>,
  before: FormerProcess | null,
): boolean {
  return before?.holder === holder && (before.isAlive || silent < before.silent);
}

function isOfShard(scope: string): boolean {
  return shardOfScope(scope) !== undefined;
}
