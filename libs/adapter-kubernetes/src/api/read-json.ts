import { AdapterError, isJsonObject, JsonItemSplitter, parseJsonList } from '#kernel';
import { type BodyOptions, readChunks } from './read-text.ts';

/** What an item of a list becomes as it arrives. */
export type MapItem = (item: unknown) => unknown;

/** What a list is read into. */
export interface ListMapping {
  readonly mapItem: MapItem;
  /** Called before the work on each chunk. */
  readonly onChunk?: () => void;
}

/** Parsed at once, in some 4 ms; of a longer list only one item at a time is, which takes twice the time in all. */
const smallBytes = 512 * 1024;

/** A Kubernetes object is at most 1.5 MiB in etcd; what metrics APIs list has some hundred bytes an item. */
const maximumItemBytes = 1024 * 1024;

/** Texts of metrics hold a value per 20 bytes or more: what holds more of them is made to take memory. */
const minimumBytesPerValue = 16;

/**
 * Reads a JSON list whose items become what `mapItem` makes of them: `{kind, metadata, items: [mapped, …]}`. A long one is
 * parsed item by item as its bytes arrive, so that it neither holds the thread nor is held in memory as a whole.
 *
 * @throws AdapterError `TooLarge`, `Malformed`, or as `readChunks` does.
 */
export async function readList(options: BodyOptions, { mapItem, onChunk }: ListMapping): Promise<unknown> {
  const first: Buffer[] = [];
  let size = 0;
  let list: ListReading | undefined;
  for await (const chunk of readChunks(options)) {
    size += chunk.length;
    onChunk?.();
    if (list === undefined && size <= smallBytes) {
      first.push(chunk);
      continue;
    }
    list ??= beginReading(options, { mapItem, chunks: first.splice(0) });
    list.push(chunk);
  }
  if (list !== undefined) return list.end();
  return parseJson(options.what, Buffer.concat(first, size).toString('utf8'), mapItem);
}

/** @throws AdapterError `Malformed`, and what `mapItem` throws */
export function parseJson(what: string, text: string, mapItem?: MapItem): unknown {
  try {
    return parseJsonList(text, mapItem && { mapItem });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const message = `${what}: the answer is no JSON (${text.length} characters)`;
    throw new AdapterError({ code: 'Malformed', message, retryable: true });
  }
}

interface ListReading {
  readonly push: (chunk: Buffer) => void;
  readonly end: () => unknown;
}

function beginReading(
  { what, maximumBytes }: BodyOptions,
  { mapItem, chunks }: { readonly mapItem: MapItem; readonly chunks: readonly Buffer[] },
): ListReading {
  const items: unknown[] = [];
  const splitter = new JsonItemSplitter({
    path: ['items'],
    maximumItemBytes,
    maximumValues: Math.ceil(maximumBytes / minimumBytesPerValue),
    each: (item) => void items.push(mapItem(item)),
  });
  const named = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      throw error instanceof AdapterError ? prefixed(what, error) : error;
    }
  };
  for (const chunk of chunks) named(() => splitter.push(chunk));
  return {
    push: (chunk) => named(() => splitter.push(chunk)),
    end: () => {
      const answer = named(() => splitter.end());
      return isJsonObject(answer) && Array.isArray(answer['items']) ? { ...answer, items } : answer;
    },
  };
}

function prefixed(what: string, { code, message, retryable }: AdapterError): AdapterError {
  return new AdapterError({ code, message: `${what}: ${message}`, retryable });
}
