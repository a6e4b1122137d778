import { filtersText } from './filters-text.ts';

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
  figure,
  /** After the number that is shown. */
  count: (shown: number, all: number) =>
    `${shown === all ? '' : `of ${figure(all)} `}${all === 1 ? 'policy' : 'policies'}`,
  loading: 'so far',
  search: 'Search by name or team',
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
    folded: filtersText,
  },
  groupings: { none: 'nothing', namespace: 'namespace', label: 'label', source: 'source', state: 'state' },
  orders: { name: 'name', state: 'trouble first', load: 'fullest first', age: 'stalest first' },
  noLabel: (label: string) => `without the label ${label}`,
  nothingFound: { title: 'Nothing matches', text: 'No policy is as the filters want it.' },
  first: {
    title: 'No policy is in force yet',
    text: 'A policy is a YAML document in a Git repository that this controller looks at. The first commit that has one brings it here within a minute.',
    noSource:
      'No repository is configured, or none that you may see. One is named under “sources” in the configuration, which the controller reads again when it changes.',
    sources: 'See what the sources say',
  },
  whatToDo: 'What to do',
  /** For an approval, or until their source is resumed. */
  holds: (count: number) => (count === 1 ? '1 change waits' : `${count} changes wait`),
  interventions: (count: number) =>
    count === 1 ? '1 intervention in force' : `${figure(count)} interventions in force`,
  intervene: (namespace: string) => `Intervene in ${namespace}`,
  selectAll: 'Select all that are found',
  selectSeveral: 'Select several',
  others: (count: number, words: string) => `+${count}: ${words}`,
  openRow: 'Open the policy',
  troubled: (count: number) => (count === 1 ? 'needs attention' : 'need attention'),
  troubledFirst: 'Those that need attention first',
  bulk: {
    tooMany: (most: number) => `At most ${most} policies at a time.`,
    wider: 'Intervene in a namespace or a source: one action, with one end',
  },
  tv: {
    calm: 'Nothing wants attention',
    steady: (count: number) =>
      count === 1 ? '1 policy within its bounds' : `${figure(count)} policies within their bounds`,
    policies: (count: number) => (count === 1 ? 'policy' : 'policies'),
    holds: 'wait to come in force',
    troubled: (count: number) =>
      count === 1 ? '1 needs attention' : `${figure(count)} need attention, the most pressing first`,
    since: 'since',
    lately: 'Lately',
    nothingLately: 'Nothing was scaled, synced or done yet.',
    people: 'Waiting and interventions',
    nothingByPeople: 'Nothing waits for an approval, and no intervention is in force.',
    ends: 'ends',
    sources: 'Sources',
    noSource: 'There is none.',
    /** Of what is about no single policy. */
    kinds: { SyncRun: 'Sync', OperatorAction: 'Action' } as Readonly<Record<string, string>>,
  },
} as const;
