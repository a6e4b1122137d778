import type { Logger } from 'pino';
import { loadSecrets } from '#adapter-git';
import type { Configuration } from '#configuration';
import { SyncTrigger } from './sync-trigger.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

/** What webhooks are opened with. */
export interface WebhooksParts {
  readonly configuration: Configuration;
  readonly syncNow: (source: string) => Promise<void>;
  readonly logger: Logger;
}

/** What is told of pushes. */
export interface Webhooks {
  /** Undefined where no source takes webhooks: then there is no such path. */
  readonly receiver: WebhookReceiver | undefined;
  readonly stop: () => Promise<void>;
}

/** Puts the webhooks of a configuration together; nothing listens yet. */
export function openWebhooks({ configuration, syncNow, logger }: WebhooksParts): Webhooks {
  const trigger = new SyncTrigger(syncNow);
  const sources = configuration.sources.flatMap(({ name, ref, webhook }) =>
    webhook === undefined ? [] : [{ name, ref, ...webhook }],
  );
  if (sources.length === 0) return { receiver: undefined, stop: trigger.stop };
  const now = (): number => Date.now();
  const receiver = new WebhookReceiver({ sources, loadSecrets, trigger: trigger.request, now, logger });
  return { receiver, stop: trigger.stop };
}
