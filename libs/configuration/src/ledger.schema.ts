import { z } from 'zod';
import { credentials, sourceUrl } from './source.schema.ts';
import { signedReceiver } from './value.schema.ts';

/** The client of PostgreSQL tries no second host, so that one would seem to be there for a failover, and not be used. */
const oneHost = z
  .string()
  .regex(
    /^(?!postgres(?:ql)?:\/\/(?:[^/@]*@)?[^,/?@]*,[^/?@]*(?:[/?]|$))/,
    'one host, of an address that leads to the primary: a second one would never be asked',
  );

/** Where the ledger is. */
export const database = z.strictObject({
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

/** What seals the ledger, and where that is sent. */
export const checkpoints = z.strictObject({
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

/** What is deleted from the ledger by age. */
export const retention = z.strictObject({
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

/** How long metric series are kept for backtests. */
export const series = z.strictObject({
  /** For so many days the metric series of policies are kept; 0: none are. */
  retentionDays: z.int().min(0).max(36_500).default(90),
});
