const values: Readonly<Record<string, string>> = {
  namespace: 'shop',
  namespaces: 'shop',
  name: 'web',
  source: 'policies',
  metricSource: 'metrics.k8s.io',
  id: 'policy:shop/web#1',
  digest: 'a'.repeat(64),
  commit: 'a'.repeat(40),
  time: '2026-01-01T00:00:00Z',
  from: '2026-01-01T00:00:00Z',
  reason: 'a test',
  timeZone: 'UTC',
  perReplicaHour: '0.1',
  currency: 'EUR',
};

/** What cannot rehearse an action is refused for this, when everything else is right: nothing is to change. */
const refused: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  createToken: { expires: '2026-01-01T00:00:00Z' },
  requestReport: { from: '2261-01-01T00:00:00Z' },
  createReport: { from: '2261-01-01T00:00:00Z' },
};

/** What stands in the other places of a request: well-formed, so that a text is looked at where it stands. */
export function plainValue(operation: string, name: string): string {
  if (name === 'expires' && refused[operation] === undefined)
    return new Date(Date.now() + 3_600_000).toISOString();
  const value = refused[operation]?.[name] ?? values[name];
  if (value === undefined) throw new Error(`${operation} wants ${name}: give it a value here`);
  return value;
}
