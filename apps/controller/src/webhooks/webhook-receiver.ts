import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { concerns, readEvent } from './read-event.ts';
import { RefusalLog } from './refusal-log.ts';
import { ReplayGuard } from './replay-guard.ts';
import type { TriggerOutcome } from './sync-trigger.ts';
import { hasSignature, verifyDelivery, type VerificationFailure } from './verify-delivery.ts';
import type { Delivery, WebhookProvider } from './webhook-provider.ts';

/** A source that is told of pushes. */
export interface WebhookSource {
  readonly name: string;
  /** As the source's configuration has it. */
  readonly ref: string;
  readonly provider: WebhookProvider;
  readonly secretFile: string;
}

/** Why a delivery is refused. */
export type RefusalCode =
  | VerificationFailure
  | 'UnknownWebhook'
  | 'BodyTooLarge'
  | 'TooManyDeliveries'
  | 'SecretUnreadable'
  | 'BadRequest';

/** What a sender is answered. */
export type WebhookAnswer =
  | {
      readonly status: 200 | 202;
      /** `Started`, `Queued`: a sync; `Pong`; `Duplicate`; `Ignored`: not a push, or not of the source's ref. */
      readonly result: TriggerOutcome | 'Pong' | 'Duplicate' | 'Ignored';
    }
  | { readonly status: 400 | 401 | 404 | 413 | 503; readonly code: RefusalCode; readonly title: string };

/** What a receiver stands on. */
export interface WebhookReceiverParts {
  readonly sources: readonly WebhookSource[];
  /** The secrets of a file, newest first; throws where there is none to be read. */
  readonly loadSecrets: (file: string) => Promise<readonly string[]>;
  readonly trigger: (source: string) => TriggerOutcome;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly logger: Logger;
}

/** Judges deliveries. A verified push asks for a fetch; nothing else of a payload is used. */
export class WebhookReceiver {
  readonly #parts: WebhookReceiverParts;
  readonly #sources: ReadonlyMap<string, { readonly source: WebhookSource; readonly guard: ReplayGuard }>;
  readonly #refusals: RefusalLog;

  constructor(parts: WebhookReceiverParts) {
    this.#parts = parts;
    this.#refusals = new RefusalLog(parts.logger, parts.now);
    this.#sources = new Map(
      parts.sources.map((source) => [source.name, { source, guard: new ReplayGuard(parts.now) }]),
    );
  }

  /** What can be refused before the body is read; undefined: read it. */
  refuseEarly(name: string, headers: IncomingHttpHeaders): WebhookAnswer | undefined {
    const known = this.#sources.get(name);
    if (known === undefined) return this.refuse(name, 'UnknownWebhook');
    if (!hasSignature(known.source.provider, headers)) return this.refuse(name, 'SignatureMissing');
    return undefined;
  }

  /** Judges a whole delivery. Never throws, and never waits for a sync. */
  async receive(name: string, delivery: Delivery): Promise<WebhookAnswer> {
    const known = this.#sources.get(name);
    if (known === undefined) return this.refuse(name, 'UnknownWebhook');
    const { source, guard } = known;
    const secrets = await this.#secretsOf(source);
    if (secrets.length === 0) return this.refuse(name, 'SecretUnreadable');
    const nowSeconds = Math.floor(this.#parts.now() / 1000);
    const verified = verifyDelivery(source.provider, delivery, { secrets, nowSeconds });
    if (!verified.ok) return this.refuse(name, verified.error);
    const event = readEvent(source.provider, delivery);
    if (event.kind === 'Ping') return { status: 200, result: 'Pong' };
    if (event.kind === 'Other' || !concerns(event.refs, source.ref))
      return { status: 200, result: 'Ignored' };
    if (guard.isRepetition(verified.value.replayKeys)) return { status: 200, result: 'Duplicate' };
    const result = this.#parts.trigger(name);
    this.#parts.logger.debug({ source: name, result }, 'webhook accepted');
    return { status: 202, result };
  }

  /** The answer of a refusal, which is also told in the log. */
  refuse(name: string, code: RefusalCode): WebhookAnswer {
    const source = this.#sources.get(name)?.source;
    const hint = code === 'SecretUnreadable' ? source?.secretFile : undefined;
    this.#refusals.tell({
      source: source?.name ?? null,
      reason: code,
      ...(hint === undefined ? {} : { hint }),
    });
    return { code, ...refusals[code] };
  }

  async #secretsOf(source: WebhookSource): Promise<readonly string[]> {
    try {
      return await this.#parts.loadSecrets(source.secretFile);
    } catch {
      return [];
    }
  }
}

/** An unknown signature and an unknown secret look alike from outside. */
const refusals: Readonly<
  Record<RefusalCode, { readonly status: 400 | 401 | 404 | 413 | 503; readonly title: string }>
> = {
  UnknownWebhook: { status: 404, title: 'no source of that name takes webhooks' },
  SignatureMissing: { status: 401, title: 'the delivery is not signed' },
  SignatureMismatch: { status: 401, title: 'the signature does not match' },
  DeliveryIdMissing: { status: 401, title: 'the delivery has no id' },
  TimestampMissing: { status: 401, title: 'the delivery has no timestamp in seconds' },
  TimestampOutOfBounds: { status: 401, title: 'the timestamp is more than 5 minutes off' },
  BodyTooLarge: { status: 413, title: 'a delivery has at most 4 MiB' },
  TooManyDeliveries: { status: 503, title: 'too many deliveries at once' },
  SecretUnreadable: { status: 503, title: 'the delivery cannot be checked now' },
  BadRequest: { status: 400, title: 'the request cannot be read' },
};
