import { numberRanges } from '#kernel';
import { fenceTerms } from '../holdings/process-holdings.ts';
import type { ElectionTools } from '../leases/election-tools.ts';
import type { ElectedScope, NotGivenUp } from './elected-scope.ts';

/** What a replica gives up when it ends, and what ends with it. */
export interface GivingUpParts {
  /** Null: it has not begun to compete. */
  readonly leader: ElectedScope | null;
  readonly shards: readonly ElectedScope[];
  /** Called once every fence is given up: the replica announces itself no more. */
  readonly withdraw: () => Promise<unknown>;
  /** Resolves when nothing of the competition is under way any more. */
  readonly ended: () => Promise<unknown>;
}

type GivingUpTools = Pick<ElectionTools, 'clock' | 'terms' | 'logger'>;

/**
 * Gives everything up, the leader's fences last, so that others can go on at once. Nothing waits for the API server but
 * what is released there.
 */
export async function giveEverythingUp(
  { leader, shards, withdraw, ended }: GivingUpParts,
  tools: GivingUpTools,
): Promise<void> {
  const { clock, logger } = tools;
  const isHolding = noteHoldings(leader, shards, tools);
  const since = clock.elapsed();
  const leavingShards = shards.map((shard) => shard.leaveForGood());
  await Promise.all(leavingShards.map(({ fencesGivenUp }) => fencesGivenUp));
  const leaving = leader === null ? leavingShards : [...leavingShards, leader.leaveForGood()];
  await Promise.all(leaving.map(({ fencesGivenUp }) => fencesGivenUp));
  const withdrawn = withdraw();
  const left = await Promise.all(leaving.map((each) => each.left));
  await Promise.all([withdrawn, ended()]);
  sayWhatExpires(
    left.flatMap((each) => each ?? []),
    tools,
  );
  if (!isHolding) return;
  const milliseconds = Math.round(clock.elapsed() - since);
  const all = leader === null ? shards : [leader, ...shards];
  const expiring = all.filter(({ phase }) => phase !== 'Waiting').map(({ name }) => name);
  logger.info({ milliseconds, expiring }, 'what was held is given up, but for what expires');
}

/** @returns whether anything is held */
function noteHoldings(
  leader: ElectedScope | null,
  all: readonly ElectedScope[],
  { logger }: GivingUpTools,
): boolean {
  const shards = all.flatMap(({ fences }, shard) => (fences.length > 0 ? [shard] : []));
  const leads = (leader?.fences.length ?? 0) > 0;
  if (shards.length === 0 && !leads) return false;
  logger.info({ shards: numberRanges(shards), leads }, 'giving up what is held: first the shards');
  return true;
}

/** In one line: an API server or a database that is away takes nothing back of any scope. */
function sayWhatExpires(left: readonly NotGivenUp[], { logger, terms }: GivingUpTools): void {
  if (left.length === 0) return;
  const seconds = Math.max(terms.leaseDurationMilliseconds, fenceTerms.leaseDurationMilliseconds) / 1_000;
  const fields = { leases: left.map(({ lease }) => lease), reason: left[0]?.reason, seconds };
  logger.warn(fields, 'not everything could be given up; others take it over once it has expired');
}
