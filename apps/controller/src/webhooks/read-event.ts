import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookProvider } from '#configuration';
import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { type Delivery, headerOf } from './delivery.ts';

export type WebhookEvent =
  | { readonly kind: 'Ping' }
  /** `refs` are full names (`refs/heads/main`); null where the payload does not say: then it may be any. */
  | { readonly kind: 'Push'; readonly refs: readonly string[] | null }
  | { readonly kind: 'Other' };

/** Parsed on the main thread; a larger push may be of any ref. */
const maximumPayloadBytes = 512 * 1024;

/** A push of more refs than this is a mirror's: it may be any. */
const maximumRefs = 1_000;

/**
 * Reads what kind of event a delivery is and which refs it names. Never throws: a push whose payload cannot be read is
 * a push of any ref, since looking once too often does no harm.
 */
export function readEvent(provider: WebhookProvider, { headers, body }: Delivery): WebhookEvent {
  const kind = kindOf(provider, headerOf(headers, eventHeaders[provider]));
  if (kind !== 'Push') return { kind };
  const payload = parsePayload(body, headers['content-type']);
  return { kind, refs: payload === undefined ? null : refsOf(provider, payload) };
}

/** Whether the headers say which event it is, where the provider's always do. */
export function hasEvent(provider: WebhookProvider, headers: IncomingHttpHeaders): boolean {
  return provider === 'generic' || headerOf(headers, eventHeaders[provider]) !== undefined;
}

const eventHeaders: Readonly<Record<WebhookProvider, string>> = {
  github: 'x-github-event',
  gitlab: 'x-gitlab-event',
  gitea: 'x-gitea-event',
  bitbucket: 'x-event-key',
  generic: 'webhook-event',
};

const pushEvents: Readonly<Record<WebhookProvider, ReadonlySet<string>>> = {
  github: new Set(['push']),
  gitlab: new Set(['Push Hook', 'Tag Push Hook', 'System Hook']),
  gitea: new Set(['push']),
  bitbucket: new Set(['repo:push', 'repo:refs_changed', 'mirror:repo_synchronized']),
  generic: new Set(['push']),
};
const pingEvents = new Set(['ping', 'diagnostics:ping']);

function kindOf(provider: WebhookProvider, event: string | undefined): WebhookEvent['kind'] {
  // Only the generic form may leave the event out: a script that calls means a push.
  if (event === undefined) return provider === 'generic' ? 'Push' : 'Other';
  if (pingEvents.has(event)) return 'Ping';
  return pushEvents[provider].has(event) ? 'Push' : 'Other';
}

function parsePayload(body: Buffer, contentType: string | undefined): JsonObject | undefined {
  if (body.byteLength > maximumPayloadBytes) return undefined;
  try {
    const text = body.toString('utf8');
    const isForm = contentType?.startsWith('application/x-www-form-urlencoded') === true;
    const json = JSON.parse(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text) as Json;
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function refsOf(provider: WebhookProvider, payload: JsonObject): readonly string[] | null {
  if (provider === 'bitbucket') return bitbucketRefs(payload);
  const ref = payload['ref'];
  return typeof ref === 'string' ? [ref] : null;
}

/** Cloud: `push.changes[].new` (null: deleted) of `{type, name}`; Data Center: `changes[].ref.id`. */
function bitbucketRefs(payload: JsonObject): readonly string[] | null {
  const push = payload['push'];
  const changes = (isJsonObject(push) ? push['changes'] : undefined) ?? payload['changes'];
  if (!Array.isArray(changes) || changes.length > maximumRefs) return null;
  const refs = changes.map((change: Json) => (isJsonObject(change) ? bitbucketRef(change) : undefined));
  return refs.includes(undefined) ? null : refs.filter((ref) => ref !== undefined);
}

function bitbucketRef(change: JsonObject): string | undefined {
  const { ref } = change;
  if (isJsonObject(ref)) return typeof ref['id'] === 'string' ? ref['id'] : undefined;
  const moved = change['new'] ?? change['old'];
  if (!isJsonObject(moved)) return undefined;
  const { type, name } = moved;
  if (typeof name !== 'string') return undefined;
  return type === 'tag' ? `refs/tags/${name}` : `refs/heads/${name}`;
}

/** Whether a push of these refs can change what a source of `ref` reads. A pinned commit or HEAD may come by any. */
export function concerns(refs: readonly string[] | null, ref: string): boolean {
  if (refs === null || ref === 'HEAD' || /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(ref)) return true;
  const names = new Set(ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`]);
  return refs.some((pushed) => names.has(pushed));
}
