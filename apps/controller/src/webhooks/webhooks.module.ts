import { Module } from '@nestjs/common';
import { loadSecrets } from '#adapter-git';
import type { Configuration } from '#configuration';
import { configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { Holdings } from '../coordination/holdings/holdings.ts';
import { GitSyncModule, policySyncToken } from '../git-sync/git-sync.module.ts';
import { LedgerModule } from '../ledger/ledger.module.ts';
import { factoryProvider } from '../provider.ts';
import { SyncTrigger } from './sync-trigger.ts';
import { WebhookGate } from './webhook-gate.ts';
import { WebhookReceiver, type WebhookSource } from './webhook-receiver.ts';
import { WebhooksController } from './webhooks.controller.ts';

const providers = [
  factoryProvider(SyncTrigger, { sync: policySyncToken }, ({ sync }) => new SyncTrigger(sync.syncNow)),
  factoryProvider(
    WebhookReceiver,
    {
      configuration: configurationToken,
      trigger: SyncTrigger,
      fences: Holdings,
      logger: loggerToken,
    },
    ({ configuration, trigger, fences, logger }) =>
      new WebhookReceiver({
        sources: webhookSources(configuration),
        loadSecrets,
        trigger: trigger.request,
        isActive: () => fences.isLeader,
        now: () => Date.now(),
        logger,
      }),
  ),
  factoryProvider(
    WebhookGate,
    { receiver: WebhookReceiver },
    ({ receiver }) => new WebhookGate({ receiver }),
  ),
];

/** Webhooks: deliveries of forges that trigger a sync. */
@Module({
  imports: [LedgerModule, GitSyncModule],
  controllers: [WebhooksController],
  providers,
  exports: providers,
})
export class WebhooksModule {}

/** The sources of a configuration that learn of pushes. */
export function webhookSources({ sources }: Configuration): readonly WebhookSource[] {
  return sources.flatMap(({ name, ref, webhook }) =>
    webhook === undefined ? [] : [{ name, ref, ...webhook }],
  );
}
