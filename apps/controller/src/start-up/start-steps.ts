import { shardScope } from '#ledger';
import { seriesCloseMilliseconds } from '../ledger/metric-series.ts';
import { endSyncs } from './end-syncs.ts';
import { leaderScopes, leaderSteps } from './leader-steps.ts';
import { openings } from './opening-steps.ts';
import { replicaWorkOf } from './replica-work.ts';
import type { StartDependencies } from './start-dependencies.ts';
import type { StartStep } from './start-step.ts';
import { askingMilliseconds, databaseMilliseconds, untilAnswered } from './until-answered.ts';
import { untilDatabaseAnswers } from './until-database-answers.ts';

/** What passes under way and the runs that are sealed after them have to end in; a pass ends within 10 s. */
const passesMilliseconds = 14_000;

/** When appends whose answer is lost are sent no more. */
const appendsMilliseconds = 12_000;

/**
 * Shards are given up within two seconds, and what a leader does for all is closed within three more. On a machine that is
 * too small the runs of thousands of policies take longer to seal: as long as that, the database stays open for them.
 */
const candidacyMilliseconds = 14_000;

/** When appends whose answer is lost are sent no more by a replica that ends: others wait for its shards. */
const lastAppendsMilliseconds = 1_500;

/**
 * The order of a start. Everything that may fail comes before the epoch, so that a process that cannot work takes it
 * from none that can; whatever another process may still change is read after it. A replica takes what it holds in the
 * background, one scope after the other, and gives it up before anything else is closed.
 */
export function startSteps(dependencies: StartDependencies): readonly StartStep[] {
  const steps = dependencies.candidacy === null ? alone(dependencies) : amongReplicas(dependencies);
  return [...openings(dependencies), ...rightsToLeases(dependencies), ...steps];
}

/** One process that carries all policies out. */
function alone(dependencies: StartDependencies): readonly StartStep[] {
  const of = leaderSteps(dependencies);
  return [
    epoch(dependencies),
    journal(dependencies),
    of.checkpoints,
    { ...of.failedAuthentications, close: () => dependencies.failures.end() },
    of.retention,
    series(dependencies),
    of.forges,
    reading(of.latest, dependencies),
    reading(of.policies, dependencies),
    reading(policyState(dependencies), dependencies),
    { name: 'leading', open: () => dependencies.fences.lead() },
    configuration(dependencies),
    reading(of.settings, dependencies),
    of.sources,
    passes(dependencies),
    of.scheduledReports,
    changes(dependencies),
    // Closed first: what is sealed and given up waits for no sync.
    { name: 'syncs', open: () => undefined, close: () => endSyncs(dependencies) },
  ];
}

/** A step that reads what is stored: a database that is away for a moment is asked again, while the scopes are held. */
function reading(
  step: StartStep,
  { configuration: configured, clock, logger }: StartDependencies,
): StartStep {
  const options = { of: 'database', milliseconds: databaseMilliseconds(configured), clock, logger };
  return { ...step, open: (signal) => untilAnswered(async () => step.open(signal), { ...options, signal }) };
}

function amongReplicas(dependencies: StartDependencies): readonly StartStep[] {
  return [
    // No shard is held yet: what was decided in an outage before goes to the late streams.
    journal(dependencies),
    series(dependencies),
    configuration(dependencies),
    passes(dependencies),
    changes(dependencies),
    // After what is held is given up: the next leader is told.
    { name: 'failed authentications', open: () => undefined, close: () => dependencies.failures.flush() },
    candidacy(dependencies),
  ];
}

/**
 * A process that may not use Leases is started anew as one that works without, before it has taken anything; that one
 * looks whether they are allowed by now.
 */
function rightsToLeases({
  leaseRights: rights,
  leasesForbidden: reason,
  wasFenced,
  clock,
  logger,
}: StartDependencies): readonly StartStep[] {
  if (rights === null) return [];
  const name = 'rights to Leases';
  if (reason === null) {
    const milliseconds = askingMilliseconds({ wasFenced });
    const open = (signal: AbortSignal): Promise<void> =>
      untilAnswered(() => rights.require(), { of: 'Leases', signal, milliseconds, clock, logger });
    return [{ name, open }];
  }
  return [
    {
      name,
      open: () => {
        logger.warn({ reason }, 'one process carries all policies out: the Leases may not be used');
        rights.watch();
      },
      close: () => {
        rights.stop();
        return Promise.resolve();
      },
    },
  ];
}

function epoch(dependencies: StartDependencies): StartStep {
  const { fences, configuration: configured, clock, logger } = dependencies;
  const milliseconds = databaseMilliseconds(configured);
  return {
    name: 'epoch',
    open: (signal) =>
      untilAnswered(() => takeScopes(dependencies, signal), {
        of: 'database',
        signal,
        milliseconds,
        clock,
        logger,
      }),
    close: () => fences.giveUp(),
  };
}

/** Takes every scope there is. @throws AdapterError where the database fails; none is held then */
async function takeScopes(
  { configuration: configured, fences, shards, store, fenceLoss }: StartDependencies,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    shards.resize((await shards.readLayout()).shardCount);
    const scopes = [...shards.all.map(shardScope), ...(await leaderScopes(configured, store))];
    await fences.acquire(scopes, fenceLoss.report, signal);
    try {
      if ((await shards.readLayout()).shardCount === shards.count) return;
    } catch (error) {
      await fences.giveUp();
      throw error;
    }
    // Their number has changed while this process waited; now that it holds them, it stays.
    await fences.giveUp();
  }
}

function candidacy(dependencies: StartDependencies): StartStep {
  const { candidacy: replica, loop, fenceLoss, appendRetry, clock, logger } = dependencies;
  return {
    name: 'candidacy',
    open: async (signal) => {
      if (replica === null) return;
      const work = replicaWorkOf(dependencies);
      const milliseconds = askingMilliseconds(dependencies);
      await untilDatabaseAnswers(dependencies, signal);
      const start = (): Promise<void> => replica.start(work, fenceLoss.report, signal);
      await untilAnswered(start, { of: 'Leases', signal, milliseconds, clock, logger });
    },
    close: async () => {
      loop.rest();
      const syncsEnded = endSyncs(dependencies);
      const givingUp = setTimeout(() => appendRetry.end(), lastAppendsMilliseconds);
      await replica?.stop().finally(() => clearTimeout(givingUp));
      await syncsEnded;
    },
    closeMilliseconds: candidacyMilliseconds,
  };
}

/** What was decided in an outage before comes before all that is read or decided now. */
function journal({ journal: kept, configuration: configured, clock, logger }: StartDependencies): StartStep {
  const milliseconds = databaseMilliseconds(configured);
  return {
    name: 'journal of the last process',
    open: (signal) =>
      untilAnswered(() => kept.takeUp(), { of: 'database', signal, milliseconds, clock, logger }),
  };
}

function series({ series: rows }: StartDependencies): StartStep {
  return {
    name: 'metric series',
    open: () => rows.start(),
    close: () => rows.stop(),
    closeMilliseconds: seriesCloseMilliseconds,
  };
}

function policyState({ loop, shards, appendRetry }: StartDependencies): StartStep {
  return {
    name: 'policy state',
    open: (signal) => {
      // Else an append whose answer was lost would keep the process until the database is back.
      signal.addEventListener('abort', () => appendRetry.end(), { once: true });
      return loop.take(...shards.all);
    },
    close: () => {
      appendRetry.end();
      return loop.stop();
    },
  };
}

/** It may have changed while this process waited for the epoch. */
function configuration({ reload }: StartDependencies): StartStep {
  return { name: 'configuration', open: reload.reload };
}

function passes({ loop, reload, appendRetry, logger }: StartDependencies): StartStep {
  return {
    name: 'passes',
    open: () => {
      loop.start();
      logger.info({ mode: reload.current.mode }, 'carrying out policies');
    },
    close: async () => {
      // A ledger that does not answer must not keep what is open from being closed.
      const givingUp = setTimeout(() => appendRetry.end(), appendsMilliseconds);
      await loop.stop().finally(() => clearTimeout(givingUp));
    },
    closeMilliseconds: passesMilliseconds,
  };
}

function changes({ reloadWatch }: StartDependencies): StartStep {
  return {
    name: 'changes of the configuration',
    open: () => reloadWatch.start(),
    close: () => reloadWatch.stop(),
  };
}
