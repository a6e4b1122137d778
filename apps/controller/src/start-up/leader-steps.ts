import type { Configuration } from '#configuration';
import type { RevisionStorePort } from '#git-sync';
import { administrationScope, formerScope, sourceScope } from '#ledger';
import { checkpointsCloseMilliseconds } from '../checkpoints/checkpointer.ts';
import { recordSettings } from '../configuration/record-settings.ts';
import { endSyncs } from './end-syncs.ts';
import type { StartDependencies } from './start-dependencies.ts';
import type { StartStep } from './start-step.ts';

/** What one process does for all: a source that the configuration names no more may still have policies in force. */
export async function leaderScopes(
  { sources }: Configuration,
  store: RevisionStorePort,
): Promise<readonly string[]> {
  const known = await store.listSources();
  const names = new Set([...sources.map(({ name }) => name), ...known.map(({ source }) => source)]);
  return [administrationScope, formerScope, ...[...names].map(sourceScope)];
}

/** What one process does for all, a step each; in the order in which a leader opens them. */
export interface LeaderSteps {
  /** Closed last, when everything else is recorded. */
  readonly checkpoints: StartStep;
  readonly failedAuthentications: StartStep;
  readonly retention: StartStep;
  readonly forges: StartStep;
  readonly latest: StartStep;
  readonly policies: StartStep;
  readonly settings: StartStep;
  readonly sources: StartStep;
  readonly scheduledReports: StartStep;
}

export function leaderSteps({
  ledger,
  writer,
  clock,
  clusterBinding,
  git,
  parser,
  sync,
  trigger,
  forgeTasks,
  reload,
  checkpointer,
  failures,
  retention,
  reportSchedules,
  follower,
}: StartDependencies): LeaderSteps {
  return {
    checkpoints: {
      name: 'checkpoints',
      open: () => checkpointer.start(),
      close: () => checkpointer.stop(),
      closeMilliseconds: checkpointsCloseMilliseconds,
    },
    failedAuthentications: {
      name: 'failed authentications',
      open: () => failures.lead(),
      close: () => failures.flush(),
    },
    retention: { name: 'retention', open: () => retention.start(), close: () => retention.stop() },
    forges: { name: 'forges', open: () => undefined, close: () => forgeTasks.stop() },
    // Nothing is followed from now on, and the last leader may have stored more since the last look.
    latest: { name: 'what was stored last', open: () => follower.catchUp() },
    policies: { name: 'policies', open: () => sync.restore() },
    settings: {
      name: 'settings',
      open: () => recordSettings(reload.current, { ledger, writer, clock, binding: clusterBinding }),
    },
    sources: {
      name: 'sources',
      open: () => sync.beginLooking(),
      close: async () => {
        await Promise.all([endSyncs({ sync, git, parser }), trigger.stop(), sync.stop()]);
      },
    },
    scheduledReports: {
      name: 'scheduled reports',
      open: () => {
        reportSchedules.reconfigure(reload.current.reports.schedules);
        reportSchedules.start();
      },
      close: () => reportSchedules.stop(),
    },
  };
}
