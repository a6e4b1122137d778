import { z } from 'zod';
import { coordination } from './coordination.schema.ts';
import { reports } from './reports.schema.ts';
import { credentials, source, sourceUrl } from './source.schema.ts';
import { dnsLabel, namedApart, namespacePattern, serverUrl, signedReceiver } from './value.schema.ts';

const wholeSeconds = z.number().int().min(0);

const cluster = z.strictObject({
  /** In every entry, export, metric and answer. */
  name: dnsLabel,
  /** Absent: the service account of the pod that Plimsoll runs in. */
  kubeconfig: z.string().min(1).optional(),
  context: z.string().min(1).optional(),
});

/** The client of PostgreSQL tries no second host, so that one would seem to be there for a failover, and not be used. */
const oneHost = z
  .string()
  .regex(
    /^(?!postgres(?:ql)?:\/\/(?:[^/@]*@)?[^,/?@]*,[^/?@]*(?:[/?]|$))/,
    'one host, of an address that leads to the primary: a second one would never be asked',
  );

const database = z.strictObject({
  url: oneHost
    .regex(
      /^(sqlite:(?!$|:memory:$)[^?]+$|postgres:\/\/|postgresql:\/\/)/,
      'sqlite:FILE, of a file that outlives the process, or postgres://HOST/DATABASE',
    )
    .default('sqlite:.plimsoll/ledger.db'),
  /** A file that holds the PostgreSQL password, so that it stands in no configuration. */
  passwordFile: z.string().min(1).optional(),
  /** The same PostgreSQL database under the role that may delete what has expired; absent: the role of `url` deletes. */
  retentionUrl: oneHost
    .regex(/^(postgres:\/\/|postgresql:\/\/)/, 'postgres://HOST/DATABASE, under the role of retention')
    .optional(),
  retentionPasswordFile: z.string().min(1).optional(),
});

const checkpoints = z.strictObject({
  /** A private Ed25519 key in PEM; on SQLite it is made in the data folder where none is set, on PostgreSQL it must be set. */
  keyFile: z.string().min(1).optional(),
  /** Every checkpoint is appended to this file: best where whoever may edit the database may not write. */
  outputFile: z.string().min(1).optional(),
  /** Every checkpoint is posted there, signed as Standard Webhooks are. */
  http: signedReceiver.optional(),
  /** Every checkpoint is committed to a ref of this repository. */
  git: z
    .strictObject({
      url: sourceUrl,
      ref: z
        .string()
        .regex(/^refs\/.+/, 'a full name, such as refs/heads/checkpoints')
        .default('refs/heads/checkpoints'),
      credentials: credentials.optional(),
    })
    .optional(),
});

/** Two days at least: entries that later ones are compressed with stay for a day longer. */
const days = z.int().min(2).max(36_500);

const retention = z.strictObject({
  /** After so many days the payloads of entries go, of kinds that `kinds` does not name; absent: they are kept. */
  payloadDays: days.optional(),
  /** After so many days the observations of decisions go, which is most of their size. */
  observationDays: days.optional(),
  kinds: z
    .strictObject({
      Decision: days.optional(),
      DecisionRun: days.optional(),
      ScalingIntent: days.optional(),
      ScalingEvent: days.optional(),
      ScalingFailure: days.optional(),
      ActuationIntent: days.optional(),
      ActuationOutcome: days.optional(),
      HpaObservation: days.optional(),
      StrategyChange: days.optional(),
      PolicyChange: days.optional(),
      SyncRun: days.optional(),
      CommitReview: days.optional(),
      OperatorAction: days.optional(),
      SettingsChange: days.optional(),
      Checkpoint: days.optional(),
      RetentionRun: days.optional(),
    })
    .prefault({}),
  /** Nothing is deleted while it is set, whatever has expired. */
  legalHold: z.boolean().default(false),
});

const series = z.strictObject({
  /** For so many days the metric series of policies are kept; 0: none are. */
  retentionDays: z.int().min(0).max(36_500).default(90),
});

/** Not all proxies: an address that any client may set is worth nothing. */
const addressOrRange = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'an IP address or a CIDR, such as 10.0.0.0/8')
  .refine((text) => !text.endsWith('/0'), 'a range of proxies is not every address');

const ipAddress = z.union([z.ipv4(), z.ipv6()]);

const listenAddress = z
  .string()
  .refine(
    (text) => text === 'localhost' || ipAddress.safeParse(text).success,
    'an IP address of this machine, 0.0.0.0 for all of them, or localhost',
  );

const listen = z.strictObject({
  /** Absent: HTTP, for loopback or behind a proxy that ends TLS. Both files are read again as they are rotated. */
  tls: z.strictObject({ certFile: z.string().min(1), keyFile: z.string().min(1) }).optional(),
  /** Loopback by default. */
  address: listenAddress.default('127.0.0.1'),
  port: z.number().int().min(0).max(65_535).default(8080),
  /** Prometheus metrics have a port of their own. */
  metricsPort: z.number().int().min(0).max(65_535).default(9090),
  /** Metrics name policies and clusters, and need no token: loopback by default. */
  metricsAddress: listenAddress.default('127.0.0.1'),
  /** Host headers that are answered beside loopback names, against DNS rebinding. */
  hosts: z.array(z.string().min(1)).max(100).default([]),
  /** Reverse proxies whose `X-Forwarded-For` is believed, as addresses or CIDRs; senders' limits count by what it says. */
  trustedProxies: z.array(addressOrRange).max(100).default([]),
  /** Requests to the API, five seconds' worth of them at once; probes and webhooks have limits of their own. */
  requestsPerSecond: z
    .strictObject({
      /** Of one person, over all its tokens. */
      perCaller: z.number().int().min(1).max(1_000_000).default(100),
      /** Of one IPv4 address, or the /64 of an IPv6 address. */
      perAddress: z.number().int().min(1).max(1_000_000).default(500),
    })
    .prefault({}),
  /** WebSockets for subscriptions at a time. */
  subscribers: z
    .strictObject({
      perCaller: z.number().int().min(1).max(10_000).default(20),
      total: z.number().int().min(1).max(10_000).default(2_000),
    })
    .prefault({}),
});

const role = z.enum(['viewer', 'operator', 'approver', 'admin']);

/** A role, and where it holds. */
const grant = z.strictObject({
  role,
  namespaces: z.array(namespacePattern).min(1).max(1_000),
});

const apiToken = z
  .strictObject({
    name: dnsLabel,
    /** SHA-256 of the token, in hex: `printf %s "$TOKEN" | sha256sum`. */
    sha256: z.string().regex(/^[0-9a-f]{64}$/, '64 hex digits'),
    /** In every namespace; where neither it nor `grants` is set, viewer. */
    role: role.optional(),
    grants: z.array(grant).min(1).max(100).optional(),
    /** Whose token it is: who approves a revision is compared with its authors. */
    email: z.email().optional(),
    forgeLogin: z.string().min(1).optional(),
  })
  .superRefine((token, context) => {
    if (token.role === undefined || token.grants === undefined) return;
    context.addIssue({ code: 'custom', path: ['role'], message: 'does nothing beside grants' });
  })
  .transform(({ role: everywhere = 'viewer', grants, ...token }) => ({
    ...token,
    grants: grants ?? [{ role: everywhere, namespaces: ['*'] }],
  }));

const oidc = z.strictObject({
  /** As the provider writes it in its tokens: `https://id.example.com/realms/main`. */
  issuer: serverUrl,
  clientId: z.string().min(1).max(256),
  /** Absent: a public client, which PKCE protects. */
  clientSecretFile: z.string().min(1).optional(),
  /** The public client that the command line signs in as; absent: `clientId`, where it has no secret. */
  cliClientId: z.string().min(1).max(256).optional(),
  /** Whom bearer JWTs must be for; absent: `clientId`. What is for `cliClientId` is believed, too. */
  audiences: z.array(z.string().min(1).max(256)).min(1).max(20).optional(),
  /** `https://plimsoll.example.com/auth/callback`; absent: nobody signs in with a browser. */
  redirectUrl: serverUrl.refine((url) => url.endsWith('/auth/callback'), 'ends in /auth/callback').optional(),
  scopes: z
    .array(z.string().regex(/^[!-~]{1,64}$/))
    .max(20)
    .default(['openid', 'email', 'profile']),
  algorithms: z
    .array(z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']))
    .min(1)
    .default(['RS256', 'PS256', 'ES256', 'EdDSA']),
  /** Names the caller in the ledger; `email` counts where it is verified, else `sub` does. */
  usernameClaim: z.string().min(1).max(64).default('email'),
  groupsClaim: z.string().min(1).max(64).default('groups'),
  clockSkewSeconds: z.int().min(0).max(300).default(30),
  /** What members of groups may do; a caller of none of them is refused. */
  grants: z
    .array(grant.extend({ group: z.string().min(1).max(256) }))
    .min(1)
    .max(1_000),
  /** How long a browser stays signed in. */
  sessionHours: z.int().min(1).max(24).default(8),
  /** The same as `auth.sessionSecretFile`, which counts before it. */
  sessionSecretFile: z.string().min(1).optional(),
});

const kubernetesCallers = z.strictObject({
  /** Whether tokens of the cluster are recognised. */
  enabled: z.boolean().default(false),
  /** Whom a token must be for; absent: the API server. */
  audiences: z.array(z.string().min(1).max(256)).max(20).default([]),
});

const auth = z.strictObject({
  tokens: namedApart(z.array(apiToken).max(1_000).default([])),
  /** Where the one-time administrator token is written (mode 0600) when no token is configured and there is no terminal. */
  tokenFile: z.string().min(1).default('.plimsoll/admin-token'),
  /** The longest that a token which is made through the API may be valid. */
  maximumTokenDays: z.int().min(1).max(366).default(90),
  /** Seals the sessions of browsers: at least 32 characters, the same for all processes; absent: sessions end with the process. */
  sessionSecretFile: z.string().min(1).optional(),
  oidc: oidc.optional(),
  kubernetes: kubernetesCallers.prefault({}),
});

const reconcile = z.strictObject({
  /** Policies decided at the same time. */
  concurrency: z.number().int().min(1).max(1_000).default(16),
  /** A pass that takes longer than this fails, and stops no other. */
  passTimeoutSeconds: z.number().int().min(1).max(600).default(30),
  /** Share of a policy's interval over which its passes are spread. */
  jitterPercent: z.number().int().min(0).max(50).default(10),
});

const metrics = z.strictObject({
  /** Which policies have series of their own: `Attention` are those that are not ready, or are degraded. */
  policySeries: z.enum(['All', 'Attention', 'None']).default('All'),
});

const graphql = z
  .strictObject({
    /** Which queries are answered: any, or those that are known from the start. */
    queries: z.enum(['Any', 'Known']).default('Any'),
    /** A JSON list of GraphQL texts that are known beside the console's. */
    knownQueriesFile: z.string().min(1).optional(),
    /** A query that takes longer is not answered. */
    timeoutSeconds: z.int().min(1).max(300).default(10),
    /** Whether GraphiQL is served, at `/graphiql`. */
    graphiql: z.boolean().default(false),
  })
  .refine(({ graphiql, queries }) => !graphiql || queries === 'Any', {
    path: ['graphiql'],
    message: 'GraphiQL asks what a person writes, which graphql.queries: Known refuses',
  });

const interventions = z.strictObject({
  /** What is meant for longer belongs in Git, as a freeze, a schedule or a policy; at most a week. */
  maximumHours: z.number().int().min(1).max(168).default(24),
});

const fleetBrake = z.strictObject({
  /** Beyond this share of a source's targets, it closes; 100: it never does. */
  targetsPercent: z.int().min(1).max(100).default(20),
  /** So many targets at least. */
  minimumTargets: z.int().min(1).max(100_000).default(10),
  /** Of a target's highest count of the last five minutes: so much or more is a loss that counts. */
  replicasPercent: z.int().min(1).max(100).default(50),
  /** How long it stays closed after its cause was last seen; at most a day. */
  minutes: z.int().min(1).max(1_440).default(60),
});

const settings = z.strictObject({
  tolerance: z.number().min(0).default(0.1),
  downscaleStabilizationSeconds: wholeSeconds.default(300),
  cpuInitializationPeriodSeconds: wholeSeconds.default(300),
  initialReadinessDelaySeconds: wholeSeconds.default(30),
  /** null: no limit. The controller's default keeps a frozen provider from scaling anything. */
  maximumSampleAgeSeconds: wholeSeconds.nullable().default(180),
  /** null: no limit. Later times are not believed: clocks that differ by more, or one that was set back. */
  maximumFutureSeconds: wholeSeconds.nullable().default(60),
  legacyScaleUpLimit: z
    .strictObject({ factor: z.number().min(1).default(2), minimum: z.number().int().min(1).default(4) })
    .prefault({}),
  featureGates: z
    .strictObject({
      SelectionStrategy: z.boolean().default(true),
      ScaleToZero: z.boolean().default(true),
      ConfigurableTolerance: z.boolean().default(true),
      PodLevelResources: z.boolean().default(true),
    })
    .prefault({}),
});

const file = z.string().min(1);

const prometheusServer = z
  .strictObject({
    name: dnsLabel,
    url: z.string().regex(/^https?:\/\//, 'http:// or https://'),
    /** The authorities that are trusted over https://, as PEM, in place of the system's. */
    caFile: file.optional(),
    /** The client's certificate and its key, as PEM. Both are read again as they are rotated. */
    certFile: file.optional(),
    keyFile: file.optional(),
    /** A file with a bearer token, read for each query. */
    bearerTokenFile: file.optional(),
    /** A query that takes longer is invalid. */
    timeoutSeconds: z.number().int().min(1).max(60).default(10),
  })
  .superRefine(({ url, caFile, certFile, keyFile }, context) => {
    const report = (name: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (certFile !== undefined && keyFile === undefined) report('certFile', 'needs keyFile');
    if (keyFile !== undefined && certFile === undefined) report('keyFile', 'needs certFile');
    if (url.startsWith('https://')) return;
    if (caFile !== undefined) report('caFile', 'does nothing without https://');
    if (certFile !== undefined) report('certFile', 'does nothing without https://');
  });

/** How long it is believed what the API server says of owners of pods whose kinds are not watched. */
const owners = z.strictObject({
  /** That an owner is there. */
  ttlSeconds: z.number().int().min(1).max(86_400).default(900),
  /** That an owner is not there: at most the shortest interval of a policy. */
  negativeTtlSeconds: z.number().int().min(1).max(300).default(10),
});

const log = z.strictObject({
  level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  /** `auto`: text on a terminal, else JSON. */
  format: z.enum(['auto', 'json', 'text']).default('auto'),
});

const traces = z.strictObject({
  /** Where traces are sent, as OTLP over HTTP with JSON; absent: nothing is traced. */
  url: z
    .string()
    .regex(/^https?:\/\/[^@?#]*$/, 'http:// or https://, without a user or a query')
    .optional(),
  /** One `name: value` per line, such as `authorization: Bearer …`; read at the start. */
  headersFile: z.string().min(1).optional(),
  /** The share of passes and syncs that are traced. */
  samplePercent: z.number().min(0).max(100).default(10),
});

/** Everything that can be set, with its default; a key not named here is an error. */
export const configurationSchema = z
  .strictObject({
    cluster,
    /** `Observe` decides and records, and writes nothing. */
    mode: z.enum(['Observe', 'Act']),
    /** The namespaces it may touch; `["*"]` is all of them. */
    namespaces: z
      .array(z.union([z.literal('*'), dnsLabel]))
      .min(1)
      .max(10_000),
    /** Whether a policy outside the namespaces is an error of its tenant, and not only a warning. */
    strictNamespaces: z.boolean().default(false),
    /** What is kept between starts, beside the database: Git objects, and the key of the checkpoints. */
    dataFolder: z.string().min(1).default('.plimsoll'),
    sources: namedApart(z.array(source).min(1).max(100)),
    database: database.prefault({}),
    checkpoints: checkpoints.prefault({}),
    retention: retention.prefault({}),
    series: series.prefault({}),
    listen: listen.prefault({}),
    auth: auth.prefault({}),
    reconcile: reconcile.prefault({}),
    metrics: metrics.prefault({}),
    graphql: graphql.prefault({}),
    interventions: interventions.prefault({}),
    fleetBrake: fleetBrake.prefault({}),
    reports: reports.prefault({}),
    settings: settings.prefault({}),
    prometheusServers: namedApart(z.array(prometheusServer).max(100).default([])),
    /** `host` or `host:port` of the recommenders that policies may name. */
    recommenderHosts: z.array(z.string().min(1)).max(100).default([]),
    /** Below it lie the files that a recommender's `tlsConfig` may name; absent: none may. */
    recommenderTlsFolder: z.string().min(1).optional(),
    owners: owners.prefault({}),
    log: log.prefault({}),
    traces: traces.prefault({}),
    /** Several replicas that share the policies, by Leases in the cluster; absent: one process carries them all out. */
    coordination: coordination.optional(),
  })
  .superRefine(({ coordination: shared, database: { url } }, context) => {
    if (shared === undefined || !url.startsWith('sqlite:')) return;
    const message = 'takes a database that replicas share: PostgreSQL';
    context.addIssue({ code: 'custom', path: ['coordination'], message });
  });

/** A valid configuration with every default filled in. Durations are seconds. */
export type Configuration = z.output<typeof configurationSchema>;
