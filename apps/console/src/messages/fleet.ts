/** `10,000` */
function figure(count: number): string {
  return count.toLocaleString('en');
}

/** The texts of the fleet's page. */
export const fleet = {
  title: 'Fleet',
  table: 'Policies',
  columns: {
    select: 'Select',
    policy: 'Policy',
    now: 'Now',
    replicas: 'Bounds',
    hour: 'Last hour',
    state: 'State',
    message: 'Latest pass',
    age: 'Evaluated',
  },
  count: (shown: number, all: number) =>
    shown === all ? `${figure(all)} policies` : `${figure(shown)} of ${figure(all)} policies`,
  loading: (count: number) => `${figure(count)} so far`,
  search: 'Search by name',
  select: (name: string) => `Select ${name}`,
  wanted: (count: number) => `→ ${count}`,
  wantedTitle: (count: number) => `${count} are asked for, and not there yet`,
  unknownCount: '?',
  unknownTitle: 'The count could not be read',
  notEvaluated: 'not yet',
  hour: (values: readonly number[]) =>
    values.length === 0
      ? 'Nothing is known of the last hour'
      : `Between ${Math.min(...values)} and ${Math.max(...values)} replicas in the last hour`,
  filters: {
    states: 'Only those that are',
    namespace: 'Namespace',
    source: 'Source',
    all: 'all',
    group: 'Group by',
    order: 'Sort by',
    label: 'Label',
    clear: 'Show all',
  },
  groupings: { none: 'nothing', namespace: 'namespace', label: 'label', source: 'source', state: 'state' },
  orders: { name: 'name', state: 'trouble first', load: 'fullest first', age: 'stalest first' },
  noLabel: (label: string) => `without the label ${label}`,
  nothingFound: { title: 'Nothing matches', text: 'No policy is as the filters want it.' },
  first: {
    title: 'No policy is in force yet',
    text: 'A policy is a YAML document in a Git repository that this controller looks at. The first commit that has one brings it here within a minute.',
    noSource:
      'No repository is configured: name one under “sources” in the configuration, and start the controller again.',
    sources: 'See what the sources say',
  },
  degraded: {
    ledger: 'Nothing can be recorded: counts stay as they are',
    journal: 'What is decided meanwhile is not kept',
    cluster: 'The API server of the cluster is away',
    leases: 'The Leases that elect replicas cannot be read or renewed',
    access: 'A Role does not allow what is watched',
    checkpoints: 'The ledger is not being sealed',
    checkpointSinks: 'Checkpoints are not sent outside the database',
    configuration: 'The configuration file says something that is not in force',
    reports: 'A scheduled report cannot be made or delivered',
    fleetBrake: 'The fleet brake is closed: what one source of metrics scales is not scaled in',
  } as Readonly<Record<string, string>>,
  since: 'since',
  bulk: {
    selected: (count: number) => `${count} selected`,
    clear: 'Clear the selection',
    tooMany: (most: number) =>
      `At most ${most} policies at a time. For more, suspend a namespace or a source: one action, with one end.`,
  },
  tv: {
    calm: 'Nothing wants attention',
    steady: (count: number) => `${count} policies within their bounds`,
    policies: 'policies',
    holds: 'wait for approval',
    others: (count: number) => `and ${count} more`,
  },
} as const;
