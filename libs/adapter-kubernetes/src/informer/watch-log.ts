import type { AdapterError } from '#kernel';
import type { LogPort } from '#reconciliation';

/**
 * Logs all watches together: one line when they work, one per cause when some break, one when all work again, however
 * many kinds and namespaces there are. A right that is missing is a cause of its own for each kind.
 */
export class WatchLog {
  readonly #log: LogPort;
  /** Watches that do not work yet, or not any more. */
  readonly #pending = new Set<string>();
  readonly #begun = new Set<string>();
  /** Logged as soon as nothing is pending. */
  #next: 'watching' | 'watching again' = 'watching';
  /** The causes that have been logged since all watches worked. */
  readonly #loggedCauses = new Set<string>();

  constructor(log: LogPort) {
    this.#log = log;
  }

  /** A watch begins. */
  begin(resource: string): void {
    this.#pending.add(resource);
    this.#begun.add(resource);
    this.#next = 'watching';
  }

  /** A watch works, or works again. */
  working(resource: string): void {
    if (!this.#pending.delete(resource) || this.#pending.size > 0) return;
    this.#log.write({ level: 'info', text: this.#next, fields: { watches: this.#begun.size } });
    this.#next = 'watching again';
    this.#loggedCauses.clear();
  }

  /** A list came in, after which a watch begins. */
  listed(resource: string, fields: { readonly objects: number; readonly milliseconds: number }): void {
    this.#log.write({ level: 'debug', text: 'listed', fields: { resource, ...fields } });
  }

  /** A watch ended as agreed, and is opened again. */
  ended(resource: string, fields: { readonly events: number; readonly milliseconds: number }): void {
    this.#log.write({ level: 'debug', text: 'watch ended', fields: { resource, ...fields } });
  }

  /** A watch broke, or could not begin. */
  interrupted(resource: string, { code, message }: AdapterError): void {
    this.#pending.add(resource);
    const cause = causeOf(resource, code);
    const level = this.#loggedCauses.has(cause) ? 'debug' : 'warn';
    this.#loggedCauses.add(cause);
    this.#log.write({ level, text: 'watch interrupted', fields: { resource, code, message } });
  }
}

/** An outage is one, whatever is watched; each right that a Role lacks has to be given by itself. `resource`: `pods in shop`. */
function causeOf(resource: string, code: string): string {
  const [kind = resource] = resource.split(' ');
  return code === 'Forbidden' ? `${code} ${kind}` : code;
}
