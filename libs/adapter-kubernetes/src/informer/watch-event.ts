import { AdapterError, cutText, isJsonObject } from '#kernel';
import { type KubeObject, object, parseKubeObject, text } from '../api/kube-object.ts';

/** One line of a watch. A bookmark carries only a newer resourceVersion. */
export type WatchEvent =
  | { readonly kind: 'Put' | 'Removed'; readonly object: KubeObject }
  | { readonly kind: 'Bookmark'; readonly resourceVersion: string };

/**
 * Parses one line of a watch.
 *
 * @throws AdapterError `Expired` for an ERROR event, whatever its code: the stream cannot be continued, only a new list
 *   helps; `Malformed` for anything that is no event.
 */
export function parseWatchEvent(line: string): WatchEvent {
  const event = parseJson(line);
  if (!isJsonObject(event)) throw malformed(line);
  switch (event['type']) {
    case 'ADDED':
    case 'MODIFIED':
      return { kind: 'Put', object: parseKubeObject(event['object']) };
    case 'DELETED':
      return { kind: 'Removed', object: parseKubeObject(event['object']) };
    case 'BOOKMARK': {
      const metadata = object(object(event['object'])['metadata']);
      return { kind: 'Bookmark', resourceVersion: text(metadata['resourceVersion']) };
    }
    case 'ERROR': {
      const message = `the watch ended: ${cutText(text(object(event['object'])['message']), 200)}`;
      throw new AdapterError({ code: 'Expired', message, retryable: true });
    }
    default:
      throw malformed(line);
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw malformed(line);
  }
}

function malformed(line: string): AdapterError {
  const message = `no watch event: ${cutText(line, 100)}`;
  return new AdapterError({ code: 'Malformed', message, retryable: true });
}
