import { z } from 'zod';

/** `15s`, `5m`, `1h`: a whole number of seconds, minutes or hours, 1 second to 1 day; seconds inside. */
export const duration = z
  .string()
  .regex(/^[1-9][0-9]*[smh]$/, 'a duration is a whole number of s, m or h, such as 15s')
  .transform(secondsOf)
  .refine((seconds) => seconds <= 86_400, 'a duration is at most 24h');

/** A name of Kubernetes' short form. */
export const dnsLabel = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'a DNS label: lower-case letters, digits and -');

function secondsOf(text: string): number {
  const unit = { s: 1, m: 60, h: 3_600 }[text.slice(-1)];
  return Number(text.slice(0, -1)) * (unit ?? Number.NaN);
}
