import type { Intervention, Policy, Source } from '#contracts';
import type { ApiRequest, Ask } from './api-client.ts';
import { loadItems } from './load-items.ts';
import type { NamedKind } from './named-kinds.ts';

/** As many as a fleet has; of a larger one, the first. */
const maximumNames = 10_000;

/** Somebody waits at the prompt: after so long no further page is asked for. */
const maximumMilliseconds = 2_000;

/**
 * The names of what a controller has, in the order of its lists, each once: of policies `namespace/name`, of interventions
 * their ids. A name that a shell or a terminal would not take as it is, is left out. Of a list that takes too long, or whose
 * later pages fail, the beginning is better than nothing.
 *
 * @throws what `ask` throws of the first page
 */
export async function namesForCompletion(
  kind: Exclude<NamedKind, 'contexts'>,
  ask: Ask,
): Promise<readonly string[]> {
  const end = performance.now() + maximumMilliseconds;
  const found: unknown[] = [];
  const asking = async <A>(request: ApiRequest): Promise<A> => {
    const page = await ask<A & Page>(request);
    found.push(...page.items);
    return performance.now() < end ? page : { ...page, next: null };
  };
  const { path, nameOf } = lists[kind];
  try {
    await loadItems(asking, { path, query: {}, wanted: maximumNames });
  } catch (error) {
    if (found.length === 0) throw error;
  }
  return [...new Set(found.map(nameOf))].filter((name) => plainWord.test(name));
}

interface Page {
  readonly items: readonly unknown[];
  readonly next: string | null;
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
