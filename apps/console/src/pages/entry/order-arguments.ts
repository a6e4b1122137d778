/** Where something is done, then what, from the fewest replicas to the exact count, then until when. */
const termNames = [
  ...['scope', 'policy', 'namespace', 'name', 'source', 'metricSource'],
  ...['direction', 'minReplicas', 'maxReplicas', 'replicas'],
  ...['expires', 'until'],
];

const idNames = ['digest', 'id'];

type Argument = readonly [name: string, value: unknown];

/** What an action was given, in the order in which people ask; what another release gives stands behind what is known. */
export function orderArguments(given: Readonly<Record<string, unknown>>): {
  readonly terms: readonly Argument[];
  /** By which something is found, and nothing is understood. */
  readonly ids: readonly Argument[];
} {
  const all = Object.entries(given);
  const named = (names: readonly string[]): readonly Argument[] =>
    names.flatMap((name) => all.filter(([each]) => each === name));
  const others = all.filter(([name]) => !termNames.includes(name) && !idNames.includes(name));
  return { terms: [...named(termNames), ...others], ids: named(idNames) };
}
