import { z } from 'zod';
import { component, timeText, type WireOf } from '../component.ts';

export const reportFormat = z.enum(['json', 'ndjson', 'csv', 'html']);

const namespaces = z.array(
  z.string().regex(/^[a-z0-9*-]{1,63}$/, "the name of a namespace, or a pattern as 'shop-*'"),
);
const policies = z.array(
  z.string().regex(/^[a-z0-9-]{1,63}\/[a-z0-9.-]{1,253}$/, 'a policy, NAMESPACE/NAME'),
);
const teams = z.array(z.string().min(1).max(320));

const price = component(
  'ReplicaPrice',
  'What a replica costs an hour.',
  z.strictObject({
    perReplicaHour: z
      .string()
      .regex(/^[0-9]{1,9}(?:\.[0-9]{1,6})?$/, 'a decimal of at most six places, such as 0.045')
      .describe('A decimal of at most six places.'),
    currency: z.string().regex(/^[A-Z]{3}$/, 'three capital letters, such as EUR'),
  }),
);

/** A report that was asked for. */
export const reportSchema = component(
  'Report',
  'A report that was asked for, without its text.',
  z.object({
    id: z.string(),
    state: z
      .enum(['Waiting', 'Making', 'Ready', 'Failed'])
      .describe('The text of what is Ready can be read.'),
    format: reportFormat,
    period: z
      .object({ from: timeText, until: timeText.describe('Exclusive.'), timeZone: z.string() })
      .describe('In its time zone.'),
    filter: z
      .object({
        namespaces: namespaces.nullable(),
        policies: policies.nullable(),
        teams: teams.nullable(),
        teamLabel: z.string().describe('The label of a policy that names its team.'),
        visibleNamespaces: z
          .array(z.string())
          .nullable()
          .describe(
            'What its maker may view: nothing else is in it, and no operators’ actions; null: everything.',
          ),
      })
      .describe('What is in it: all that is not null must fit.'),
    price: price.nullable(),
    owner: z.string().describe('Who asked for it.'),
    requestedAt: timeText,
    finishedAt: timeText.nullable().describe('When it was made, or failed; null: neither yet.'),
    expiresAt: timeText
      .nullable()
      .describe('It is kept until then, unless newer ones need the room; null: it is not made.'),
    bytes: z.int().nonnegative().nullable().describe('Of its text; null: it is not made.'),
    verification: z
      .object({
        status: z.enum(['Proven', 'Consistent', 'Broken']),
        fault: z.string().nullable().describe('The first thing that is wrong; null: nothing is.'),
      })
      .nullable()
      .describe('Whether the ledger that it was made from verifies; null: it is not made.'),
    problem: z.string().nullable().describe('Why it failed; null: it did not.'),
  }),
);
export type Report = WireOf<typeof reportSchema>;

const givenPeriod = z.string().min(1).max(64);

/** What a report is asked for with. */
export const reportRequestSchema = component(
  'ReportRequest',
  'A report that is to be made of what the caller may view.',
  z.strictObject({
    from: givenPeriod.describe('A date, which is a midnight of the time zone, or an RFC 3339 time.'),
    until: givenPeriod.optional().describe('The same, exclusive; absent: the present.'),
    timeZone: z.string().min(1).max(64).default('UTC').describe('An IANA name.'),
    namespaces: namespaces
      .min(1)
      .max(1_000)
      .optional()
      .describe('Only the policies of these namespaces, which may be patterns with `*`.'),
    policies: policies.min(1).max(1_000).optional().describe('Only these policies, NAMESPACE/NAME each.'),
    teams: teams.min(1).max(1_000).optional().describe('Only the policies of these teams.'),
    teamLabel: z
      .string()
      .regex(/^[A-Za-z0-9./_-]{1,317}$/, 'the name of a label')
      .default('team')
      .describe('The label of a policy that names its team.'),
    price: price.optional().describe('Replica-hours are then also a cost.'),
    format: reportFormat.default('json'),
  }),
);
export type ReportRequest = z.input<typeof reportRequestSchema>;
