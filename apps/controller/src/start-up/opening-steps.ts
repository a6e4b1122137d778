import { requireDatabaseOfCluster } from '../cluster/database-cluster.ts';
import { endSyncs } from './end-syncs.ts';
import type { StartDependencies } from './start-dependencies.ts';
import type { StartStep } from './start-step.ts';
import {
  askingMilliseconds,
  databaseMilliseconds,
  firstAnswerMilliseconds,
  untilAnswered,
} from './until-answered.ts';
import { untilDatabaseAnswers } from './until-database-answers.ts';

/** What every process opens, whatever it holds; in this order. */
export function openings(dependencies: StartDependencies): readonly StartStep[] {
  return [
    ...probes(dependencies),
    { name: 'git', open: () => dependencies.git.prepare() },
    watches(dependencies),
    database(dependencies),
    ...readingAhead(dependencies),
    ...services(dependencies),
  ];
}

/** First of all, so that what the start waits for can be asked; everything but probes is refused until then. */
function probes({ metricsServer, loopMonitor, http }: StartDependencies): readonly StartStep[] {
  return [
    {
      name: 'metrics',
      open: async () => {
        loopMonitor.start();
        await metricsServer.listen();
      },
      close: async () => {
        loopMonitor.stop();
        await metricsServer.close();
      },
    },
    { name: 'probes', open: () => http.listen(), close: () => http.close() },
  ];
}

/** The API server makes its lists while the database is opened; they are waited for later. */
function watches({ cluster }: StartDependencies): StartStep {
  return { name: 'watches', open: () => cluster.kubernetes.start(), close: () => cluster.stop() };
}

/** A server that is not there yet is waited for, as in a new cluster; a file is there or is not. */
function database({
  database: opened,
  configuration: configured,
  clock,
  logger,
}: StartDependencies): StartStep {
  const milliseconds = configured.database.url.startsWith('sqlite:') ? 0 : Infinity;
  return {
    name: 'database',
    open: (signal) =>
      untilAnswered(() => opened.open(), { of: 'database', signal, milliseconds, clock, logger }),
    close: () => opened.close(),
  };
}

function services(dependencies: StartDependencies): readonly StartStep[] {
  const {
    tokens,
    reports,
    cluster,
    traces,
    journal,
    follower,
    clusterBinding,
    configuration: configured,
    wasFenced,
    clock,
    logger,
  } = dependencies;
  return [
    // Before the API answers: a token that is known must not be refused.
    {
      name: 'API tokens',
      open: (signal) => {
        const milliseconds = databaseMilliseconds(configured);
        return untilAnswered(() => tokens.start(), { of: 'database', signal, milliseconds, clock, logger });
      },
      close: () => tokens.stop(),
    },
    { name: 'reports', open: () => reports.start(), close: () => reports.stop() },
    { name: 'journal', open: () => journal.open(), close: () => journal.close() },
    { name: 'traces', open: () => traces.open(), close: () => traces.close() },
    api(dependencies),
    {
      name: 'cluster',
      open: async (signal) => {
        const ask = (): Promise<void> => cluster.kubernetes.whenSynced(firstAnswerMilliseconds, signal);
        const milliseconds = wasFenced ? Infinity : 0;
        await untilAnswered(ask, { of: 'cluster', signal, milliseconds, clock, logger });
      },
      close: () => cluster.stop(),
    },
    {
      name: 'cluster of the database',
      open: async (signal) => {
        await untilDatabaseAnswers(dependencies, signal);
        const { clusterUid } = cluster.kubernetes;
        const options = { cluster: configured.cluster, binding: clusterBinding, clusterUid, logger };
        const milliseconds = askingMilliseconds({ wasFenced });
        const ask = (): Promise<void> => requireDatabaseOfCluster(options);
        await untilAnswered(ask, { of: 'cluster of the database', signal, milliseconds, clock, logger });
      },
    },
    // What another process has in force is known while this one waits.
    { name: 'following', open: () => follower.start(), close: () => follower.stop() },
  ];
}

function api({ requestGate, http, metricsServer, administratorToken, logger }: StartDependencies): StartStep {
  return {
    name: 'API',
    open: async () => {
      requestGate.open();
      logger.info({ url: http.url, metricsUrl: metricsServer.url }, 'serving the admin API');
      await administratorToken?.show();
    },
    close: async () => {
      await http.close();
      await administratorToken?.hide();
    },
  };
}

/**
 * Parsing begins while the cluster's caches are listed. A replica does not know yet whether it is the one that syncs, and
 * would parse for nothing.
 */
function readingAhead(dependencies: StartDependencies): readonly StartStep[] {
  if (dependencies.candidacy !== null) return [];
  let reading = Promise.resolve();
  return [
    {
      name: 'reading ahead',
      open: () => {
        reading = dependencies.sync.readAhead();
      },
      close: async () => {
        await endSyncs(dependencies);
        await reading;
      },
    },
  ];
}
