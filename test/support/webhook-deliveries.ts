import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookProvider } from '#configuration';
import type { Delivery } from '../../apps/controller/src/webhooks/delivery.ts';

/** What a forge is asked to send. */
export interface DeliveryPlan {
  readonly secret: string;
  readonly ref?: string;
  readonly id?: string;
  readonly event?: string;
  /** Seconds since 1970, where the form has a timestamp. */
  readonly timestamp?: number;
  readonly body?: string;
}

/** A push as the forge's public documentation says it is sent: headers, body and signature. */
export function aDelivery(provider: WebhookProvider, plan: DeliveryPlan): Delivery {
  const body = Buffer.from(plan.body ?? bodyOf(provider, plan.ref ?? 'refs/heads/main'));
  return {
    headers: { 'content-type': 'application/json', ...headersOf(provider, plan, body) },
    body,
  };
}

/** What Standard Webhooks signs. */
export interface StandardMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: Buffer;
}

/** The signature of Standard Webhooks. */
export function standardSignature(secret: string, { id, timestamp, body }: StandardMessage): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  const text = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}

const someId = 'f6266f16-1bf3-46a5-9ea4-602e06ead473';

function headersOf(provider: WebhookProvider, plan: DeliveryPlan, body: Buffer): IncomingHttpHeaders {
  const { secret, event, id = someId } = plan;
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  const forms: Readonly<Record<WebhookProvider, () => IncomingHttpHeaders>> = {
    github: () => ({
      'x-github-event': event ?? 'push',
      'x-github-delivery': id,
      'x-hub-signature-256': `sha256=${hex}`,
    }),
    gitea: () => ({ 'x-gitea-event': event ?? 'push', 'x-gitea-delivery': id, 'x-gitea-signature': hex }),
    bitbucket: () => ({
      'x-event-key': event ?? 'repo:push',
      'x-request-uuid': id,
      'x-hub-signature': `sha256=${hex}`,
    }),
    gitlab: () => ({
      'x-gitlab-event': event ?? 'Push Hook',
      'idempotency-key': id,
      ...(secret.startsWith('whsec_') ? standardHeaders(plan, body) : { 'x-gitlab-token': secret }),
    }),
    generic: () => ({
      ...standardHeaders(plan, body),
      ...(event === undefined ? {} : { 'webhook-event': event }),
    }),
  };
  return forms[provider]();
}

function standardHeaders(plan: DeliveryPlan, body: Buffer): IncomingHttpHeaders {
  const { secret, id = someId, timestamp = 1_795_000_000 } = plan;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardSignature(secret, { id, timestamp, body }),
  };
}

function bodyOf(provider: WebhookProvider, ref: string): string {
  if (provider !== 'bitbucket') {
    return JSON.stringify({
      ref,
      before: '0'.repeat(40),
      after: 'bffeb74224043ba2feb48d137756c8a9331c449a',
      commits: [],
    });
  }
  const type = ref.startsWith('refs/tags/') ? 'tag' : 'branch';
  const name = ref.replace(/^refs\/(heads|tags)\//, '');
  return JSON.stringify({ push: { changes: [{ new: { type, name }, old: null }] } });
}
