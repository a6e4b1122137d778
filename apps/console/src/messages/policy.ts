import { interventions } from './interventions.ts';

/** The texts of a policy's page. */
export const policy = {
  missing: {
    title: 'No such policy in force',
    text: (name: string) =>
      `${name} is not in force, or not yours to see. The audit timeline says whether it was, and how it left.`,
    audit: 'Its changes in the audit timeline',
    fleet: 'Go to the fleet',
  },
  now: (count: number | null) => (count === 1 ? 'replica now' : 'replicas now'),
  unknownCount: '?',
  wanted: (count: number) => `${count} wanted`,
  bounds: (minimum: number, maximum: number) => `between ${minimum} and ${maximum}`,
  ownBounds: (minimum: number, maximum: number) => `its document: ${minimum} to ${maximum}`,
  scales: (kind: string, name: string) => `scales ${kind} ${name}`,
  every: (seconds: number) => `every ${seconds} s`,
  overview: 'Now',
  notEvaluated: 'No pass over it has ended since the controller started.',
  latest: 'Latest decision',
  noDecision: 'Nothing was decided yet: the first pass comes within its interval.',
  decisionUnknown:
    'The latest decision is recorded in the database, which does not answer. How the policy stands now is above.',
  earlierDecision:
    'The database does not answer: this was the latest decision when it last did. How the policy stands now is above.',
  passDecision: (isRecorded: boolean) =>
    `The database does not answer: this is what the latest pass decided, as the controller has it in memory. ${isRecorded ? 'It repeats what was recorded last.' : 'It is not recorded yet, and nothing is scaled by it.'}`,
  blameUnknown: (file: string, source: string) =>
    `Who allowed it is recorded in the database, which does not answer. The policy in force is ${file} of ${source}.`,
  open: 'Open',
  observed: 'observed',
  chart: {
    title: 'Over time',
    none: 'No pass is in the series of this time yet: passes are there some minutes after they end.',
    knownUntil: 'Everything is here until',
    incomplete:
      'What came later is not all here: another replica runs this policy and stores what it sees within some minutes, or there were more passes than a chart reads.',
    knownFrom:
      'The database does not answer: this is what the controller has in memory, with the bounds that are in force now, since',
    hours: (count: number) => (count < 1 ? '15 min' : count < 168 ? `${count} h` : '7 d'),
    mark: (from: number, to: number, reason: string) => `${from} → ${to}: ${reason}`,
    byOthers: (manager: string, reason: string) => `by ${manager}: ${reason}`,
    begun: (what: string, by: string, until: string) => `${what}, until ${until}, ${by}`,
    ended: (what: string, by: string) => `Ended: ${what}, ${by}`,
    endedBy: (actor: string, reason: string | null) =>
      reason === null || reason === '' ? `by ${actor}` : `by ${actor}: ${reason}`,
    expired: 'since it has expired',
    isCut:
      'There is more than is marked: the oldest marks of this time are left out. A shorter time has them all.',
    metric: 'Metric',
    units: {
      Utilization: '% of request',
      AverageValue: 'per pod',
      Value: '',
      Watermark: '',
      Replicas: 'replicas',
    },
    held: { target: 'target', watermarks: 'watermarks' },
    marks: {
      up: 'grown',
      down: 'shrunk',
      upByOthers: 'grown by others',
      downByOthers: 'shrunk by others',
      bounds: 'bounds',
      schedule: 'schedule',
      freeze: 'freeze',
      outage: 'no pass',
      policy: 'policy changed',
      strategy: 'strategy changed',
      sync: 'sync',
      begun: 'intervention begins',
      ended: 'intervention ends',
      operator: 'operator',
    },
    boundsMark: (minimum: number, maximum: number) => `Bounds become ${minimum} to ${maximum}`,
    outageMark: (minutes: number) =>
      minutes <= 1 ? 'No pass for a minute' : `No pass for ${minutes} minutes`,
    several: (newest: string, others: number, next: string) =>
      others === 1 ? `${newest}; also ${next}` : `${newest}; and ${others} others, such as ${next}`,
    scheduleMark: (name: string, bounds: string, until: string) =>
      `Schedule ${name}${bounds === '' ? '' : `: ${bounds}`}, until ${until}`,
    freezeMark: (name: string, stopped: string, until: string) =>
      `Freeze ${name}: ${stopped}, until ${until}`,
    stopped: { Both: 'the count stays', Up: 'nothing grows', Down: 'nothing shrinks' },
    minimumOf: (count: number) => `at least ${count}`,
    maximumOf: (count: number) => `at most ${count}`,
    ranges: 'Time that is shown',
    steps: 'Another time',
    step: { Earlier: 'Earlier', Later: 'Later', Closer: 'Closer', Further: 'Further' },
    legend: 'Marks',
    time: 'Time',
    replicas: 'Replicas',
    bounds: 'Bounds',
    table: 'As a table',
    number: (value: number | null | undefined) =>
      value === null || value === undefined ? '–' : value.toLocaleString('en', { maximumFractionDigits: 2 }),
    range: (lowest: number | null | undefined, highest: number | null | undefined) =>
      lowest === highest ? '' : `(${lowest ?? '?'} to ${highest ?? '?'})`,
    against: (...marks: readonly (number | null | undefined)[]) => {
      const known = marks
        .filter((mark) => mark !== null && mark !== undefined)
        .map((mark) => mark.toLocaleString('en', { maximumFractionDigits: 3 }));
      if (known.length === 0) return '';
      return known.length === 1 ? `, target ${known.join()}` : `, watermarks ${known.join(' to ')}`;
    },
  },
  scalings: {
    title: 'Changes of the count',
    none: 'Its count has not changed since the ledger began.',
    time: 'Time',
    count: 'Count',
    reason: 'Reason',
    commit: 'Allowed by',
    why: 'Why',
    by: (manager: string) => `by ${manager}`,
    others: 'somebody else',
  },
  versions: {
    title: 'Versions',
    first: 'came into force',
    same: 'No value of it changed.',
    inForce: 'in force',
    left: 'left',
    absent: 'none',
  },
  spec: {
    title: 'Effective spec',
    defaults: (count: number) => (count === 1 ? '1 value by default' : `${count} values by default`),
    origins: {
      Document: '',
      PolicyDefaults: 'defaults of',
      UpstreamDefault: 'upstream’s default',
      PlimsollDefault: 'Plimsoll’s default',
    },
    linesOf: 'Numbers are lines of',
    from: (file: string, line: number) => `${file}:${line}`,
    note: 'with the defaults of the repository filled in',
  },
  older: { more: 'Older', audit: 'Older ones are in the audit timeline' },
  standing: 'Interventions in force, and what waits',
  notInForce: (commit: string, tenant: string, errors: string) =>
    `Commit ${commit} is not in force: ${tenant === '' ? '' : `tenant ${tenant}: `}${errors}`,
  hasErrors: (needs: string) => `it has errors (not visible to you: ${needs})`,
  since: 'since',
  held: (count: number) =>
    count === 1 ? 'A change waits for an approval' : `${count} changes wait for an approval`,
  untilResumed: (count: number) =>
    `${count === 1 ? 'A change waits' : `${count} changes wait`} until the source is resumed`,
  rejected: (count: number) => (count === 1 ? 'A change was rejected' : `${count} changes were rejected`),
  mayChange: 'may change this policy',
  restNotVisible: (needs: string) => `Why, and what else: not visible to you: ${needs}`,
  actions: {
    label: 'Actions',
    short: { suspend: 'Suspend', override: 'Override', dryRun: 'Dry run', release: 'Release' },
    suspend: interventions.begin.suspend,
    override: 'Override replicas',
    dryRun: interventions.begin.dryRun,
    release: 'Release the policy',
    minimum: 'Minimum',
    maximum: 'Maximum',
    exact: 'Exactly',
    leave: 'Leave empty what is to stay.',
    badCount: 'A count is a whole number, 0 to 2,147,483,647.',
    noCount: 'Give a minimum, a maximum or an exact count, and it is said here.',
  },
} as const;
