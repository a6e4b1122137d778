import { z } from 'zod';
import { auth } from './auth.schema.ts';
import { coordination } from './coordination.schema.ts';
import { checkpoints, database, retention, series } from './ledger.schema.ts';
import { listen } from './listen.schema.ts';
import { reports } from './reports.schema.ts';
import { source } from './source.schema.ts';
import { dnsLabel, namedApart } from './value.schema.ts';

const wholeSeconds = z.number().int().min(0);

const cluster = z.strictObject({
  /** In every entry, export, metric and answer. */
  name: dnsLabel,
  /** Absent: the service account of the pod that Plimsoll runs in. */
  kubeconfig: z.string().min(1).optional(),
  context: z.string().min(1).optional(),
  /** The uid of the namespace kube-system of the cluster that the database was of, which this one has taken the place of. */
  movedFrom: z.string().min(1).max(100).optional(),
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
  /** One `name: value` per line, such as `authorization: Bearer …`; read for each batch. */
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
