import { z } from 'zod';
import {
  dnsLabel,
  firesTwice,
  isTimeZone,
  namedApart,
  namespacePattern,
  signedReceiver,
} from './value.schema.ts';

/** As a report that is asked for has them: one that is refused then would never be made. */
const reportNames = (form: RegExp, what: string) =>
  z.array(z.string().max(320).regex(form, what)).min(1).max(1_000);

const policyName = /^[a-z0-9-]{1,63}\/[a-z0-9.-]{1,253}$/;

const reportSchedule = z
  .strictObject({
    name: dnsLabel,
    /** Each period is that between two firings. */
    cron: z.string().max(100).refine(firesTwice, 'a cron of five fields that fires').default('0 0 * * 1'),
    timeZone: z.string().refine(isTimeZone, 'an IANA name, such as Europe/Berlin').default('UTC'),
    format: z.enum(['json', 'ndjson', 'csv', 'html']).default('html'),
    namespaces: z.array(namespacePattern).min(1).max(1_000).optional(),
    /** `NAMESPACE/NAME` each. */
    policies: reportNames(policyName, 'NAMESPACE/NAME, such as shop/checkout').optional(),
    teams: reportNames(/^\P{Cc}+$/u, 'a text without control characters').optional(),
    /** The label of a policy that names its team. */
    teamLabel: z
      .string()
      .regex(/^[A-Za-z0-9./_-]{1,317}$/, 'the key of a label, such as example.com/team')
      .default('team'),
    price: z
      .strictObject({
        perReplicaHour: z.string().regex(/^\d{1,9}(?:\.\d{1,6})?$/, 'a decimal of at most six places'),
        currency: z.string().regex(/^[A-Z]{3}$/, 'a code such as EUR'),
      })
      .optional(),
    /** Where its files are put; this, or `http`. */
    folder: z.string().min(1).optional(),
    http: signedReceiver.optional(),
  })
  .superRefine(({ folder, http }, context) => {
    if ((folder === undefined) !== (http === undefined)) return;
    context.addIssue({
      code: 'custom',
      path: ['folder'],
      message: 'either folder or http says where it goes',
    });
  });

/** Reports that callers ask for, and those that are made again and again. */
export const reports = z.strictObject({
  /** Reports that are made again and again. */
  schedules: namedApart(z.array(reportSchedule).max(100).default([])),
  /** For so many days a report that was asked for is kept. */
  keepDays: z.int().min(1).max(366).default(7),
  /** A report that grows beyond it fails. */
  maximumMegabytes: z.int().min(1).max(102_400).default(512),
  /** All reports that are kept; the oldest go first. */
  folderMegabytes: z.int().min(1).max(1_048_576).default(2_048),
  /** A report that takes longer fails. */
  maximumMinutes: z.int().min(1).max(1_440).default(60),
});
