import { Module } from '@nestjs/common';
import { createForge } from '#adapter-git';
import type { Configuration } from '#configuration';
import { withoutUndefined } from '#kernel';
import { LedgerWriter } from '#ledger';
import { clockToken, configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { Holdings } from '../coordination/holdings/holdings.ts';
import {
  LedgerModule,
  ledgerToken,
  pullRequestStoreToken,
  revisionStoreToken,
} from '../ledger/ledger.module.ts';
import { factoryProvider } from '../provider.ts';
import { CommitReviews } from './commit-reviews.ts';
import { ForgeObserver, type ObservedSource } from './forge-observer.ts';
import { ForgeTasks } from './forge-tasks.ts';

const providers = [
  factoryProvider(
    ForgeTasks,
    { clock: clockToken, logger: loggerToken },
    (options) => new ForgeTasks({ ...options, wait }),
  ),
  factoryProvider(
    CommitReviews,
    { writer: LedgerWriter, fences: Holdings, ledger: ledgerToken, clock: clockToken },
    (parts) => new CommitReviews(parts),
  ),
  factoryProvider(
    ForgeObserver,
    {
      configuration: configurationToken,
      tasks: ForgeTasks,
      revisions: revisionStoreToken,
      pullRequests: pullRequestStoreToken,
      reviews: CommitReviews,
    },
    ({ configuration, ...options }) =>
      new ForgeObserver({
        ...options,
        sources: observedSources(configuration),
        cluster: configuration.cluster.name,
      }),
  ),
];

/** Reports to forges what became of commits, and asks them who allowed each. */
@Module({ imports: [LedgerModule], providers, exports: providers })
export class ForgeModule {}

/** The sources of a configuration, as the observer takes them. */
export function observedSources({ sources }: Configuration): readonly ObservedSource[] {
  return sources.map(observedSource);
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
