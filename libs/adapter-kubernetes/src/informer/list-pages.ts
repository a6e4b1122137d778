import { AdapterError, type JsonObject, messageOf } from '#kernel';
import type { ApiClient } from '../api/api-client.ts';
import { hasCode } from '../api/api-failure.ts';
import { type KubeObject, object, objects, parseKubeObject, text } from '../api/kube-object.ts';
import { acceptOfList, type WatchedResource } from './watched-resource.ts';

/** What is listed, and with which client. */
export interface ListOptions {
  readonly client: ApiClient;
  readonly resource: WatchedResource;
  readonly signal: AbortSignal;
}

/** Is told what a list has, as it comes in. */
export interface ListListener {
  /** The list's resourceVersion, before its first object; throws where it is not to be taken in. */
  readonly onVersion: (version: string) => void;
  readonly onObject: (object: KubeObject) => void;
}

/** Parsing a page of whole objects takes about 10 ms, during which nothing else runs. */
const pageSize = { Object: 250, Metadata: 1000 };
const pageTimeoutMilliseconds = 30_000;
/** What is parsed in some 40 ms. A page of large objects is asked for again with fewer of them. */
const maximumPageBytes = 4 * 1024 * 1024;
/** An object is at most 1.5 MiB in etcd; its JSON may be some times that. */
const maximumObjectBytes = 16 * 1024 * 1024;
/** 2.5 million whole objects: a server that repeats its continue token must not keep us for ever. */
const maximumPages = 10_000;

/**
 * Lists a collection page by page. The next one is on its way while the objects of one are taken in.
 *
 * @returns the list's resourceVersion, from which a watch goes on.
 * @throws AdapterError `Expired` (410) where the pages took longer than the server keeps them: list again.
 */
export async function listPages(
  { client, resource, signal }: ListOptions,
  { onVersion, onObject }: ListListener,
): Promise<string> {
  const read = (page: Page): Promise<JsonObject | undefined> => readPage({ client, resource, signal }, page);
  const largest = pageSize[resource.representation];
  let page: Page = { limit: largest, token: undefined };
  let coming = read(page);
  let isFirst = true;
  for (let pages = 0; pages < maximumPages; pages += 1) {
    const answer = await coming;
    if (answer === undefined) {
      page = { ...page, limit: Math.ceil(page.limit / 4) };
      coming = read(page);
      continue;
    }
    const metadata = object(answer['metadata']);
    const items = itemsOf(answer, resource);
    page = { limit: Math.min(largest, page.limit * 2), token: text(metadata['continue']) };
    if (page.token !== '') {
      coming = read(page);
      await sent(coming);
    }
    // Pages are all of the version of the first.
    if (isFirst) onVersion(versionOf(answer, resource));
    isFirst = false;
    for (const item of items) readItem(item, { resource, each: onObject });
    if (page.token === '') return versionOf(answer, resource);
  }
  const message = `${resource.name}: more than ${maximumPages} pages`;
  throw new AdapterError({ code: 'TooLarge', message, retryable: false });
}

/**
 * What a gateway answers in the API server's place is no list of nothing: every object of the cache would be gone.
 *
 * @throws AdapterError `Malformed`
 */
function itemsOf({ items }: JsonObject, { name }: WatchedResource): readonly JsonObject[] {
  // Go writes a list that was never made as null.
  if (items === null) return [];
  if (!Array.isArray(items)) throw malformed(`${name}: the answer is no list`);
  const all = objects(items);
  if (all.length !== items.length) throw malformed(`${name}: an item of the list is no object`);
  return all;
}

/** From which a watch goes on: without one it would begin at another moment than the list. @throws AdapterError `Malformed` */
function versionOf({ metadata }: JsonObject, { name }: WatchedResource): string {
  const version = text(object(metadata)['resourceVersion']);
  if (version === '') throw malformed(`${name}: the list has no resourceVersion`);
  return version;
}

function malformed(message: string): AdapterError {
  return new AdapterError({ code: 'Malformed', message, retryable: true });
}

/** Which page, and of how many objects at most. */
interface Page {
  readonly limit: number;
  /** Undefined: the first. */
  readonly token: string | undefined;
}

/** Resolves once the request is under way; whether it fails is for who waits for the answer. */
async function sent(request: Promise<unknown>): Promise<void> {
  request.catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
}

/** Undefined for a page that is too large, of several objects: a few large ones must not keep all others from being read. */
async function readPage(
  { client, resource, signal }: ListOptions,
  { limit, token }: Page,
): Promise<JsonObject | undefined> {
  try {
    const answer = await client.json({
      path: resource.path,
      query: { limit: String(limit), continue: token },
      accept: acceptOfList(resource.representation),
      timeoutMilliseconds: pageTimeoutMilliseconds,
      maximumBytes: limit === 1 ? maximumObjectBytes : maximumPageBytes,
      signal,
    });
    return object(answer);
  } catch (error) {
    if (limit > 1 && hasCode(error, 'TooLarge')) return undefined;
    throw error;
  }
}

/** The version that the collection is at now, of a list of one item. @throws AdapterError */
export async function presentVersion({ client, resource, signal }: ListOptions): Promise<string> {
  const answer = await client.json({
    path: resource.path,
    query: { limit: '1' },
    accept: acceptOfList('Metadata'),
    signal,
  });
  return text(object(object(answer)['metadata'])['resourceVersion']);
}

/** @throws AdapterError `Malformed`, naming the object. */
function readItem(
  item: JsonObject,
  { resource, each }: { readonly resource: WatchedResource; readonly each: (object: KubeObject) => void },
): void {
  try {
    each(parseKubeObject(item));
  } catch (error) {
    const { namespace, name } = object(item['metadata']);
    throw malformed(`${resource.name}: ${text(namespace)}/${text(name)} cannot be read: ${messageOf(error)}`);
  }
}
