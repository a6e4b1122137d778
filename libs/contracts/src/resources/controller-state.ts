import { z } from 'zod';
import { component, timeText, type WireOf } from './component.ts';

/** Something that does not work. */
export const degradationSchema = component(
  'Degradation',
  'Something that does not work, while the API still answers.',
  z.object({
    what: z.string().describe('What does not work, as /readyz names it: `ledger`, `checkpointSinks`.'),
    since: timeText.describe('When it stopped to work, RFC 3339.'),
    message: z
      .string()
      .nullable()
      .describe(
        'Why, as the latest attempt to reach the cluster came to; null: of this only the log says more.',
      ),
  }),
);
export type Degradation = WireOf<typeof degradationSchema>;

/** An HPA that no policy explains. */
export const orphanedHpaSchema = component(
  'OrphanedHpa',
  'An HPA of ours that no policy in force explains.',
  z.object({
    namespace: z.string().describe('Where it is in Kubernetes.'),
    name: z.string().describe('The name of the HPA in Kubernetes.'),
    policy: z.string().describe('The policy that it was rendered from, `shop/checkout`.'),
    message: z.string().describe('Why it is there, and what takes it away.'),
    since: timeText
      .nullable()
      .describe('Since when its deletion fails, RFC 3339; null: it is not tried to delete it.'),
  }),
);
export type OrphanedHpa = WireOf<typeof orphanedHpaSchema>;

const countText = z
  .string()
  .describe('A count; a text, since it may be larger than other readers’ integers.');

/** How far the ledger is sealed. */
export const ledgerSealSchema = component(
  'LedgerSeal',
  'How far the ledger is sealed by signed checkpoints, and where they are.',
  z.object({
    last: z
      .object({
        number: countText.describe('Which checkpoint it is, counted from 1.'),
        time: timeText.describe('When it was made, RFC 3339.'),
        streams: countText.describe('Streams, the leaves of its tree.'),
        entries: countText.describe('How many entries of the ledger it covers.'),
        root: z.string().describe('Root of the tree, in hex.'),
        note: z.string().describe('The signed note, whole: keep it outside to verify the ledger by.'),
      })
      .nullable()
      .describe('The newest checkpoint; null: none was made yet.'),
    failingSince: timeText.nullable().describe('Since when none can be made, RFC 3339; null: they can.'),
    publicKey: z
      .string()
      .nullable()
      .describe('The public key that signs, base64 of its 32 bytes; null: this process has not opened it.'),
    sinks: z
      .array(
        z.object({
          sink: z.string().describe('The file, address or Git ref that gets them.'),
          waiting: z.int().nonnegative().describe('Notes that are not delivered yet.'),
          dropped: z.int().nonnegative().describe('Notes that were dropped; a later one covers them.'),
          failingSince: timeText.nullable().describe('RFC 3339; null: it works.'),
          deliveredAt: timeText
            .nullable()
            .describe('When it last took a note, RFC 3339; null: not since this process has started.'),
        }),
      )
      .describe('Where checkpoints are sent to, and how that goes.'),
  }),
);
export type LedgerSeal = WireOf<typeof ledgerSealSchema>;

/** A report that is made again and again. */
export const reportScheduleSchema = component(
  'ReportSchedule',
  'A report that is made again and again.',
  z.object({
    name: z.string().describe('What the configuration calls it.'),
    cron: z.string().describe('Each report is on the time between two firings.'),
    timeZone: z.string().describe('The IANA name that its cron and its days are of: Europe/Berlin.'),
    format: z.enum(['json', 'ndjson', 'csv', 'html']).describe('The form that each text has.'),
    nextAt: timeText
      .nullable()
      .describe('When the next is made, RFC 3339; null: its cron does not fire any more.'),
    reportedUntil: timeText
      .nullable()
      .describe('The end of the last period that was reported on; null: this process knows of none.'),
    failingSince: timeText
      .nullable()
      .describe('Since when it could not be made or delivered, RFC 3339; null: the last one was.'),
  }),
);
export type ReportSchedule = WireOf<typeof reportScheduleSchema>;
