import { apiGroupOf } from '#kernel';
import { UnusableError } from '../unusable-error.ts';

/** A kind by the names that references use. */
export interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The plural of a kind, and its group; the core group is empty. */
export interface ResourceName {
  readonly resource: string;
  readonly group: string;
}

/** Groups of Kubernetes itself, of which every plural follows the rule. */
const builtInGroups: ReadonlySet<string> = new Set(['', 'apps', 'batch', 'autoscaling', 'policy']);

/** The plurals of kinds: given, or formed as names of kinds are, since no server is asked. */
export class ResourceNames {
  readonly #given: ReadonlyMap<string, string>;
  readonly #guesses = new Map<string, string>();

  /** @param given `Kind.group=plural`. @throws UnusableError */
  constructor(given: readonly string[]) {
    this.#given = new Map(given.map(parsePlural));
  }

  of({ apiVersion, kind }: KindName): ResourceName {
    const group = apiGroupOf(apiVersion);
    const name = group === '' ? kind : `${kind}.${group}`;
    const given = this.#given.get(name);
    const resource = given ?? pluralOf(kind);
    if (given === undefined && !builtInGroups.has(group)) this.#guesses.set(name, resource);
    return { group, resource };
  }

  /** The plurals that were formed and not given, of kinds that are not Kubernetes' own: `Rollout.argoproj.io=rollouts`. */
  get guesses(): readonly string[] {
    return [...this.#guesses].map(([name, resource]) => `${name}=${resource}`).toSorted();
  }
}

/** Reads `apps/v1/Deployment` or `v1/ConfigMap`. @throws UnusableError */
export function parseKindName(text: string): KindName {
  const match = /^((?:[a-z0-9.-]+\/)?v[a-z0-9]+)\/([A-Za-z0-9]+)$/.exec(text);
  const [, apiVersion, kind] = match ?? [];
  if (apiVersion === undefined || kind === undefined)
    throw new UnusableError(`${text} is no kind: write its apiVersion and kind, as apps/v1/Deployment`);
  return { apiVersion, kind };
}

function parsePlural(text: string): readonly [string, string] {
  const match = /^([A-Za-z0-9]+(?:\.[a-z0-9.-]+)?)=([a-z0-9-]+)$/.exec(text);
  const [, name, plural] = match ?? [];
  if (name === undefined || plural === undefined)
    throw new UnusableError(`${text} is no plural: write Kind.group=plural, as Rollout.argoproj.io=rollouts`);
  return [name, plural];
}

/** As names of kinds form their plurals: `Ingress` ingresses, `NetworkPolicy` networkpolicies, `Gateway` gateways. */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/(?:s|x|ch|sh)$/.test(singular)) return `${singular}es`;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}
