import type { KubeObject } from '../objects/kube-object.ts';
import { badRequest, StatusError } from './status-error.ts';

/** One page of a list, all pages of one state of the world. */
export interface ListPage {
  readonly items: readonly KubeObject[];
  readonly revision: number;
  readonly continueToken?: string;
  readonly remaining?: number | undefined;
}

interface Snapshot {
  readonly items: readonly KubeObject[];
  readonly revision: number;
}

/** Lists whose pages can be asked for, also again; the oldest is given up, and its reader starts anew on a 410. */
const mostSnapshots = 100;

/** Cuts lists into pages. A page's successors show the same state, whatever is written in between. */
export class ListPages {
  readonly #snapshots = new Map<string, Snapshot>();
  #nextId = 0;

  /** The first page. */
  first(items: readonly KubeObject[], revision: number, limit: number): ListPage {
    if (limit <= 0 || items.length <= limit) return { items, revision };
    const id = String(this.#nextId++);
    this.#snapshots.set(id, { items, revision });
    const oldest = this.#snapshots.keys().next();
    if (this.#snapshots.size > mostSnapshots && oldest.done !== true) this.#snapshots.delete(oldest.value);
    return this.#page(id, 0, limit);
  }

  /**
   * The page that a token continues with.
   *
   * @throws StatusError 400 for a token that is not of this server, 410 for one that is too old
   */
  next(token: string, limit: number): ListPage {
    const { id, start } = decodeToken(token);
    return this.#page(id, start, limit);
  }

  /** Makes every open token too old. */
  expire(): void {
    this.#snapshots.clear();
  }

  #page(id: string, start: number, limit: number): ListPage {
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined) throw tooOld();
    const { items, revision } = snapshot;
    const end = limit <= 0 ? items.length : start + limit;
    const page = { items: items.slice(start, end), revision };
    return end < items.length
      ? { ...page, continueToken: encodeToken(id, end), remaining: items.length - end }
      : page;
  }
}

function encodeToken(id: string, start: number): string {
  return Buffer.from(JSON.stringify({ v: 'plimsoll.dev/v1', id, start })).toString('base64url');
}

function decodeToken(token: string): { readonly id: string; readonly start: number } {
  const text = Buffer.from(token, 'base64url').toString('utf8');
  const match = /^\{"v":"plimsoll\.dev\/v1","id":"(\d+)","start":(\d+)\}$/.exec(text);
  if (match === null) throw badRequest('invalid continue token: continue key is not valid');
  const [, id = '', start] = match;
  return { id, start: Number(start) };
}

function tooOld(): StatusError {
  const message =
    'The provided continue parameter is too old to display a consistent list result. ' +
    'You can start a new list without the continue parameter.';
  return new StatusError(410, { message, reason: 'Expired' });
}
