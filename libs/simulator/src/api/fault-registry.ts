import type { Fault, FaultMatch, FaultRule } from './fault.ts';
import type { Verb } from './resource-request.ts';

/** An open watch that can be cut or frozen. */
export interface OpenWatch {
  readonly path: string;
  readonly close: () => void;
  /** From now on nothing is sent; the connection stays open. */
  readonly freeze: () => void;
}

interface ActiveRule extends FaultRule {
  left: number;
}

/** The faults that are switched on, and the watches that can be cut. All of it can change at run time. */
export class FaultRegistry {
  readonly #rules = new Set<ActiveRule>();
  readonly #watches = new Set<OpenWatch>();

  /** Switches a fault on; the answer switches it off again. */
  add(rule: FaultRule): () => void {
    const active: ActiveRule = { ...rule, left: rule.times ?? Number.POSITIVE_INFINITY };
    this.#rules.add(active);
    return () => this.#rules.delete(active);
  }

  /** Switches every fault off. */
  clear(): void {
    this.#rules.clear();
  }

  /** Ends open watches, as a restarting server or a proxy does; the number of them. */
  dropWatches(match: Pick<FaultMatch, 'path'> = {}): number {
    const dropped = [...this.#watches].filter(({ path }) => matchesPath(match.path, path));
    for (const watch of dropped) watch.close();
    return dropped.length;
  }

  /** Lets open watches carry nothing any more, as a firewall does that has forgotten the connection; the number of them. */
  freezeWatches(match: Pick<FaultMatch, 'path'> = {}): number {
    const frozen = [...this.#watches].filter(({ path }) => matchesPath(match.path, path));
    for (const watch of frozen) watch.freeze();
    return frozen.length;
  }

  /** How many watches are open. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** The faults that strike this request, each counted once. */
  strike(verb: Verb | undefined, path: string): readonly Fault[] {
    const struck: Fault[] = [];
    for (const rule of this.#rules) {
      if (rule.left <= 0 || !matchesVerb(rule.match.verb, verb) || !matchesPath(rule.match.path, path))
        continue;
      rule.left -= 1;
      if (rule.left <= 0) this.#rules.delete(rule);
      struck.push(rule.fault);
    }
    return struck;
  }

  /** Registers an open watch; the answer takes it out again. */
  watch(open: OpenWatch): () => void {
    this.#watches.add(open);
    return () => this.#watches.delete(open);
  }
}

function matchesVerb(wanted: FaultMatch['verb'], verb: Verb | undefined): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? wanted === verb : wanted.some((one) => one === verb);
}

function matchesPath(wanted: FaultMatch['path'], path: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? path.startsWith(wanted) : wanted.test(path);
}
