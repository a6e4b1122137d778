import type { Logger } from 'pino';
import { createForge } from '#adapter-git';
import { SqlPullRequestStore, SqlRevisionStore } from '#adapter-sql';
import type { Configuration } from '#configuration';
import type { PullRequestStorePort } from '#git-sync';
import { withoutUndefined } from '#kernel';
import type { OpenLedger } from '../database.ts';
import { ForgeObserver, type ObservedSource } from './forge-observer.ts';
import { ForgeTasks } from './forge-tasks.ts';

/** What forges are opened with. */
export interface ForgesOptions {
  readonly configuration: Configuration;
  readonly ledger: OpenLedger;
  readonly logger: Logger;
}

/** The forges of a controller's sources. */
export interface Forges {
  readonly observer: ForgeObserver;
  readonly pullRequests: PullRequestStorePort;
  readonly stop: () => Promise<void>;
}

/** Puts together what listens to syncs and talks to forges; nothing is asked yet. */
export function openForges({ configuration, ledger, logger }: ForgesOptions): Forges {
  const tasks = new ForgeTasks({ wait, logger });
  const pullRequests = new SqlPullRequestStore(ledger.sql);
  const observer = new ForgeObserver({
    sources: configuration.sources.map(observedSource),
    cluster: configuration.cluster.name,
    tasks,
    revisions: new SqlRevisionStore(ledger.sql),
    pullRequests,
  });
  return { observer, pullRequests, stop: () => tasks.stop() };
}

function observedSource({ name, ref, forge }: Configuration['sources'][number]): ObservedSource {
  if (forge === undefined) return { name, ref, writesStatus: false };
  const { status, caFile, proxyFile, ...rest } = forge;
  const network = withoutUndefined({ caFile, proxyFile });
  return {
    name,
    ref,
    forge: createForge({ ...rest, ...network, now: () => Date.now() }),
    writesStatus: status,
  };
}

/** A wait does not keep the process alive. */
function wait(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}
