import { z } from 'zod';
import { component, timeText, type WireOf } from './component.ts';

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
      .describe('What one replica costs for one hour: a decimal of at most six places.'),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'three capital letters, such as EUR')
      .describe('A code of three letters, such as EUR.'),
  }),
);

/** A report that was asked for. */
export const reportSchema = component(
  'Report',
  'A report that was asked for, without its text.',
  z.object({
    id: z.string().describe('What `/reports/{id}` knows it by.'),
    state: z
      .enum(['Waiting', 'Making', 'Ready', 'Failed'])
      .describe('How far it is. The text of what is Ready can be read.'),
    format: reportFormat.describe('The form that its text has.'),
    period: z
      .object({
        from: timeText.describe('The beginning, RFC 3339, inclusive.'),
        until: timeText.describe('The end, RFC 3339, exclusive.'),
        timeZone: z.string().describe('The IANA name that days and hours are of: Europe/Berlin.'),
      })
      .describe('Which time it is about.'),
    filter: z
      .object({
        namespaces: namespaces.nullable().describe('Only these, or those that match a pattern; null: all.'),
        policies: policies.nullable().describe('Only these, NAMESPACE/NAME each; null: all.'),
        teams: teams.nullable().describe('Only those of these, by the value of teamLabel; null: all.'),
        teamLabel: z.string().describe('The label of a policy that names its team.'),
        visibleNamespaces: z
          .array(z.string())
          .nullable()
          .describe(
            'What its maker may view: nothing else is in it, neither syncs nor what operators did to whole sources or the cluster; null: everything.',
          ),
      })
      .describe('What is in it: all that is not null must fit.'),
    price: price.nullable().describe('What costs are computed with; null: there are none in it.'),
    owner: z.string().describe('Who asked for it.'),
    requestedAt: timeText.describe('When it was asked for, RFC 3339.'),
    finishedAt: timeText.nullable().describe('When it was made, or failed; null: neither yet.'),
    expiresAt: timeText
      .nullable()
      .describe('It is kept until then, unless newer ones need the room; null: it is not made.'),
    bytes: z.int().nonnegative().nullable().describe('Of its text; null: it is not made.'),
    verification: z
      .object({
        status: z
          .enum(['Proven', 'Consistent', 'Broken'])
          .describe(
            'Broken: hashes or signatures do not agree. Consistent: they do. Proven: a checkpoint from elsewhere says the same.',
          ),
        fault: z.string().nullable().describe('The first thing that is wrong; null: nothing is.'),
      })
      .nullable()
      .describe('Whether the ledger that it was made from verifies; null: it is not made.'),
    nothingMatches: z
      .string()
      .nullable()
      .describe(
        'That the filter selects nothing, and a few of the names that there are instead; null: it selects something, or it is not made.',
      ),
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
    timeZone: z
      .string()
      .min(1)
      .max(64)
      .default('UTC')
      .describe('The IANA name that days and hours are of: Europe/Berlin.'),
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
    format: reportFormat.default('json').describe('The form that its text is to have.'),
  }),
);
export type ReportRequest = z.input<typeof reportRequestSchema>;
