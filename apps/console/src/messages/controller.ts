/** The texts of the controller's own page. */
export const controller = {
  title: 'Controller',
  health: 'Health',
  observing:
    'The controller that answers runs with mode Observe: it decides and records, and writes nothing to the cluster.',
  allWell: 'Everything works, as far as the process that answers knows.',
  since: 'since',
  /** By what does not work: that it does not, and what to do. */
  degraded: {
    ledger: {
      what: 'Nothing can be recorded: counts stay as they are',
      todo: 'Look at the database and its disk. What is decided meanwhile is recorded when it is back.',
    },
    journal: {
      what: 'What is decided meanwhile is not kept',
      todo: 'Look at the volume of the data folder.',
    },
    cluster: {
      what: 'The API server of the cluster is away',
      todo: 'Look at the API server, and at the network to it. Nothing is scaled until it answers.',
    },
    leases: {
      what: 'The Leases that elect replicas cannot be read or renewed, or a Role forbids them',
      todo: 'Look at the API server, and at the Role of the Leases, which “plimsoll rbac” prints.',
    },
    access: {
      what: 'A Role does not allow what is watched, or Events',
      todo: 'The log names the verb; what “plimsoll rbac” prints allows all that is needed.',
    },
    checkpoints: {
      what: 'The ledger is not being sealed',
      todo: 'See to the signing key or the database. Where the ledger contradicts what was sealed, somebody may have changed it: follow the runbook before anything else.',
    },
    checkpointSinks: {
      what: 'Checkpoints are not sent outside the database',
      todo: 'The audit page names the sink. What waits is sent when it takes it again.',
    },
    configuration: {
      what: 'The configuration file says something that is not in force, or another replica has other settings',
      todo: 'Correct the file, restart, or give the replicas the same settings. What was in force before stays; the log has every problem.',
    },
    reports: {
      what: 'A scheduled report cannot be made or delivered',
      todo: 'The reports page says which one. It is tried again.',
    },
    fleetBrake: {
      what: 'The fleet brake is closed: what one source of metrics scales is not scaled in',
      todo: 'Look at the source of metrics. Is the load really gone, end the suspension by “fleet-brake” under Interventions.',
    },
    forges: {
      what: 'A forge does not do what it is asked for: commits have no status, or nobody knows who allowed them',
      todo: 'The log names the source, what was asked and the answer. What was given up is asked again with the next look at the source.',
    },
    sessions: {
      what: 'A session of the console is valid at one replica alone',
      todo: 'Give all replicas the same “auth.sessionSecretFile”, and start them again.',
    },
    certificate: {
      what: 'The TLS certificate of the API cannot be used',
      todo: 'Put a certificate that is valid now and its own key into the two files. They are looked at every ten seconds; a pair that does not match is not shown, and the one before it stays.',
    },
    keptHpas: {
      what: 'HPAs of policies that left should be deleted, and are still there: they go on scaling',
      todo: '“plimsoll get orphaned-hpas” names them, with what the API server says, and what helps.',
    },
    retention: {
      what: 'What has expired in the ledger cannot be deleted: the database grows',
      todo: 'Look at the login of “database.retentionUrl” and its rights. It is tried again every ten minutes.',
    },
    clock: {
      what: 'The clock has jumped: schedules and freezes do not go by it alone',
      todo: 'Look at how the node’s clock is kept right. Where the new time stays, it is believed after five minutes.',
    },
  } as Readonly<Record<string, { readonly what: string; readonly todo: string }>>,
  replicas: 'Replicas',
  alone: (reason: string) =>
    `One process carries everything out: ${reason}. Another on the same database waits for it to end.`,
  sharing:
    'Replicas share the policies. One of them, the leader, syncs the sources and takes what people ask for.',
  held: (count: number) => (count === 1 ? 'shard is held' : 'shards are held'),
  of: (all: number) => `of ${all}`,
  by: (replicas: number) => (replicas === 1 ? 'by 1 replica' : `by ${replicas} replicas`),
  noReplica: {
    title: 'No process carries policies out',
    text: 'This one answers reads, and waits until it is the one: until the database takes its claim, or the one before it has ended. /readyz says what is missing.',
  },
  notHeld: (shards: string) =>
    `No replica holds ${shards}: the counts of the policies there stay until one takes over.`,
  shards: (ranges: string, count: number) => (count === 1 ? `shard ${ranges}` : `shards ${ranges}`),
  noShard: 'no shard',
  sinceUnknown: 'since an unknown time',
  leader: 'leader',
  leaderHint: 'It syncs the sources, and takes what people ask for.',
  answers: 'answers this page',
  noUrl: 'no address for the others',
  version: (version: string) => `release ${version}`,
  takesPart: 'began',
  seen: 'last seen',
  knownFrom: {
    Leases: 'The database does not answer. This is what the Leases said',
    Process: 'The database does not answer. This is what the process that answers holds,',
  },
  epoch: (epoch: string) => `· epoch ${epoch}`,
} as const;
