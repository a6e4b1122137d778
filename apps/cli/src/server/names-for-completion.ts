import type { Intervention, Policy, Source } from '#contracts';
import { UnusableError } from '../unusable-error.ts';
import { type ApiRequest, ask, RefusedError } from './api-client.ts';
import { contextNames, loadContext } from './contexts.ts';
import { loadItems } from './load-items.ts';
import type { NamedKind } from './named-kinds.ts';

/** As many as a fleet has; of a larger one, the first. */
const maximumNames = 10_000;

/** Somebody waits at the prompt. */
const maximumMilliseconds = 3_000;

/**
 * The names that a shell offers, in the order of the controller's lists, each once: of policies `namespace/name`, of
 * interventions their ids. Nothing is left of a name that a terminal would not print as it is.
 *
 * @throws UnusableError, also where the controller refuses
 */
export async function namesForCompletion(
  kind: NamedKind,
  contextName: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  if (kind === 'contexts') return contextNames(environment);
  const context = await loadContext(contextName, environment);
  const signal = AbortSignal.timeout(maximumMilliseconds);
  const found: unknown[] = [];
  const asking = async <A>(request: ApiRequest): Promise<A> => {
    const page = await ask<A & Page>(context, request, { known: new Map(), found: new Map(), signal });
    found.push(...page.items);
    return page;
  };
  const { path, nameOf } = lists[kind];
  try {
    await loadItems(asking, { path, query: {}, wanted: maximumNames });
  } catch (error) {
    if (error instanceof RefusedError) throw new UnusableError(error.message);
    // Of a list that is too long for the time, its beginning is better than nothing.
    if (found.length === 0) throw error;
  }
  return [...new Set(found.map(nameOf))].filter((name) => plainWord.test(name));
}

interface Page {
  readonly items: readonly unknown[];
}

/** Without spaces and control characters. */
const plainWord = /^[!-~]+$/;

const lists: Readonly<Record<Exclude<NamedKind, 'contexts'>, NamedList>> = {
  policies: {
    path: '/policies',
    nameOf: (item) => `${(item as Policy).namespace}/${(item as Policy).name}`,
  },
  sources: { path: '/sources', nameOf: (item) => (item as Source).name },
  namespaces: { path: '/policies', nameOf: (item) => (item as Policy).namespace },
  interventions: { path: '/interventions', nameOf: (item) => (item as Intervention).id },
};

interface NamedList {
  /** Below `/api/v1`. */
  readonly path: string;
  readonly nameOf: (item: unknown) => string;
}
