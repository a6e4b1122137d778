import { Cron } from 'croner';
import { z } from 'zod';

const durationForm = 'a duration is a whole number of s, m or h, such as 15s';

/** `15s`, `5m`, `1h`: a whole number of seconds, minutes or hours, 1 second to 1 day; seconds inside. */
export const duration = z
  .string({ error: durationForm })
  .regex(/^[1-9][0-9]*[smh]$/, durationForm)
  .transform(secondsOf)
  .refine((seconds) => seconds <= 86_400, 'a duration is at most 24h');

/** A name of Kubernetes' short form. */
export const dnsLabel = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'a DNS label: lower-case letters, digits and -');

/** The address of a server that secrets or signed texts go to. */
export const serverUrl = z
  .string()
  .regex(
    /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$))[^@?#]*$/,
    'https://, or http:// on loopback, without a user or a query',
  );

/** A list of which each item has a name of its own. */
export function namedApart<Schema extends z.ZodType<readonly { readonly name: string }[]>>(
  list: Schema,
): Schema {
  return list.superRefine((items, context) => {
    const names = new Set<string>();
    for (const [index, { name }] of items.entries()) {
      if (names.has(name)) {
        context.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message: 'is the name of another one, too',
          input: name,
        });
      }
      names.add(name);
    }
  });
}

function secondsOf(text: string): number {
  const unit = { s: 1, m: 60, h: 3_600 }[text.slice(-1)];
  return Number(text.slice(0, -1)) * (unit ?? Number.NaN);
}

/** Whether a text is a cron of five fields that fires more than once. */
export function firesTwice(text: string): boolean {
  try {
    return new Cron(text, { mode: '5-part', paused: true }).nextRuns(2).length === 2;
  } catch {
    return false;
  }
}

/** Whether a text names a time zone: an offset has no summer, and is none. */
export function isTimeZone(text: string): boolean {
  if (/^[+-]/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Where something is posted, signed as Standard Webhooks are. */
export const signedReceiver = z.strictObject({
  url: serverUrl,
  /** One secret a line, 1 to 4; each of them signs. */
  secretFile: z.string().min(1),
  /** The authorities that are trusted over https://, as PEM, in place of the system's. */
  caFile: z.string().min(1).optional(),
  /** One line, `http://user:password@proxy:3128`; absent: the proxy of the environment, if any. */
  proxyFile: z.string().min(1).optional(),
});

/** A namespace, or a pattern of them. */
export const namespacePattern = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9*-]+$/, 'the name of a namespace, or a pattern with *, such as team-a-*');
