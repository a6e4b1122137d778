import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { type WebhookProvider, webhookProviders } from '#configuration';
import { err, messageOf, ok, type Result } from '#kernel';
import type { Delivery } from './delivery.ts';
import { concerns, hasEvent, readEvent } from './read-event.ts';
import { type RefusalCount, RefusalLog } from './refusal-log.ts';
import { ReplayGuard } from './replay-guard.ts';
import type { TriggerOutcome } from './sync-trigger.ts';
import {
  hasDeliveryId,
  hasSignature,
  type VerificationFailure,
  type VerifiedDelivery,
  verifyDelivery,
} from './verify-delivery.ts';

/** A source with a webhook. */
export interface WebhookSource {
  readonly name: string;
  /** As the source's configuration has it. */
  readonly ref: string;
  readonly provider: WebhookProvider;
  readonly secretFile: string;
}

/** Why a delivery is refused, as the log has it. */
export type RefusalCode =
  | VerificationFailure
  | 'UnknownWebhook'
  | 'EventMissing'
  | 'BodyTooLarge'
  | 'BodyTooSlow'
  | 'TooManyDeliveries'
  | 'SecretUnreadable'
  | 'NotActive'
  | 'BadRequest';

/** The answer to a sender. */
export type WebhookAnswer =
  | {
      readonly status: 200 | 202;
      /** `Started`, `Queued`: a sync; `Pong`; `Duplicate`; `Ignored`: not a push, or not of the source's ref. */
      readonly result: TriggerOutcome | 'Pong' | 'Duplicate' | 'Ignored';
    }
  | {
      readonly status: 400 | 401 | 413 | 503;
      readonly code: RefusalCode | 'DeliveryRefused';
      readonly detail: string;
    };

export interface WebhookReceiverOptions {
  readonly sources: readonly WebhookSource[];
  /**
   * The secrets of a file, newest first.
   *
   * @throws AdapterError where there is none to be read.
   */
  readonly loadSecrets: (file: string) => Promise<readonly string[]>;
  readonly trigger: (source: string) => TriggerOutcome;
  /** Whether this process syncs; a standby leaves it to the one that does. */
  readonly isActive: () => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly logger: Logger;
}

/** The secrets of a file, or why there are none that can be used. */
type Secrets = Result<readonly string[], string>;

interface KnownSource {
  readonly source: WebhookSource;
  readonly guard: ReplayGuard;
}

/** Judges deliveries. A verified push asks for a fetch; nothing else of a payload is used. */
export class WebhookReceiver {
  readonly #options: WebhookReceiverOptions;
  #sources: ReadonlyMap<string, KnownSource>;
  readonly #refusals: RefusalLog;
  /** Reads under way, by file: deliveries that come at once share one. */
  readonly #reads = new Map<string, Promise<Secrets>>();

  constructor(options: WebhookReceiverOptions) {
    this.#options = options;
    this.#refusals = new RefusalLog(options.logger, options.now);
    this.#sources = new Map();
    this.reconfigure(options.sources);
  }

  /** Takes deliveries for other sources from now on; one whose name stays remembers what was delivered. */
  reconfigure(sources: readonly WebhookSource[]): void {
    this.#sources = new Map(
      sources.map((source) => {
        const guard = this.#sources.get(source.name)?.guard ?? new ReplayGuard(this.#options.now);
        return [source.name, { source, guard }];
      }),
    );
  }

  /** Refusals since the start. */
  get refusals(): readonly RefusalCount[] {
    return this.#refusals.counts;
  }

  /**
   * What can be refused before the body is read, whatever the name; undefined: read it. The form of any provider will
   * do, so that the answer does not reveal which one a source has.
   */
  refuseEarly(name: string, headers: IncomingHttpHeaders): WebhookAnswer | undefined {
    const signed = webhookProviders.filter((provider) => hasSignature(provider, headers));
    if (signed.length === 0) return this.refuse(name, 'SignatureMissing');
    const named = signed.filter((provider) => hasEvent(provider, headers));
    if (named.length === 0) return this.refuse(name, 'EventMissing');
    const isComplete = named.some((provider) => hasDeliveryId(provider, headers));
    return isComplete ? undefined : this.refuse(name, 'DeliveryIdMissing');
  }

  /**
   * Judges a whole delivery. Never throws, and never waits for a sync. A name that no source has costs the work of one,
   * and gets the answer of a wrong secret: a sender does not learn here which sources there are.
   */
  async receive(name: string, delivery: Delivery): Promise<WebhookAnswer> {
    const known = this.#sources.get(name);
    const source = known?.source ?? this.#anySource();
    if (source === undefined) return this.refuse(name, 'UnknownWebhook');
    const read = await this.#secretsOf(source);
    const nowSeconds = Math.floor(this.#options.now() / 1000);
    const secrets = read.ok ? read.value : [];
    const verified = verifyDelivery(source.provider, delivery, { secrets, nowSeconds });
    if (known === undefined) return this.refuse(name, 'UnknownWebhook');
    if (!read.ok) return this.refuse(name, 'SecretUnreadable', read.error);
    if (!verified.ok) return this.refuse(name, verified.error);
    return this.#accept(known, { delivery, verified: verified.value });
  }

  #accept(
    { source, guard }: KnownSource,
    { delivery, verified }: { readonly delivery: Delivery; readonly verified: VerifiedDelivery },
  ): WebhookAnswer {
    const event = readEvent(source.provider, delivery);
    if (event.kind === 'Ping') return { status: 200, result: 'Pong' };
    if (event.kind === 'Other' || !concerns(event.refs, source.ref))
      return { status: 200, result: 'Ignored' };
    if (guard.isRepetition(verified.replayKeys)) return { status: 200, result: 'Duplicate' };
    if (!this.#options.isActive()) return this.refuse(source.name, 'NotActive');
    const result = this.#options.trigger(source.name);
    this.#options.logger.debug({ source: source.name, result }, 'webhook accepted');
    return { status: 202, result };
  }

  /** The answer of a refusal, which is also logged. @param hint what a person should look at, which the sender is not told */
  refuse(name: string, code: RefusalCode, hint?: string): WebhookAnswer {
    const source = this.#sources.get(name)?.source;
    this.#refusals.report({
      source: source?.name ?? null,
      reason: code,
      ...(hint === undefined ? {} : { hint }),
    });
    return refusals[code] ?? refused;
  }

  #anySource(): WebhookSource | undefined {
    const [first] = this.#sources.values();
    return first?.source;
  }

  #secretsOf({ secretFile }: WebhookSource): Promise<Secrets> {
    const underWay = this.#reads.get(secretFile);
    if (underWay !== undefined) return underWay;
    const read = this.#readSecrets(secretFile).finally(() => this.#reads.delete(secretFile));
    this.#reads.set(secretFile, read);
    return read;
  }

  async #readSecrets(file: string): Promise<Secrets> {
    try {
      return ok(await this.#options.loadSecrets(file));
    } catch (error) {
      return err(`webhook.secretFile: ${messageOf(error)}`);
    }
  }
}

/** The one answer to senders that do not know a secret; the log has the reason. */
const refused: WebhookAnswer = {
  status: 401,
  code: 'DeliveryRefused',
  detail: 'no source of that name believes the delivery; the log of the controller says why',
};

/** Refusals that say nothing of a source or its secret, or go to a sender that knows it. */
const refusals: Readonly<Partial<Record<RefusalCode, WebhookAnswer>>> = {
  TimestampOutOfBounds: {
    status: 401,
    code: 'TimestampOutOfBounds',
    detail: 'the timestamp is more than 5 minutes off',
  },
  BodyTooLarge: { status: 413, code: 'BodyTooLarge', detail: 'a delivery has at most 4 MiB' },
  TooManyDeliveries: { status: 503, code: 'TooManyDeliveries', detail: 'too many deliveries at once' },
  NotActive: { status: 503, code: 'NotActive', detail: 'this process is not the one that syncs' },
  BadRequest: { status: 400, code: 'BadRequest', detail: 'the request cannot be read' },
};
