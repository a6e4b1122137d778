import { z } from 'zod';
import { dnsLabel } from './value.schema.ts';

const seconds = z.number().min(0.1).max(3_600);

/** As client-go's `JitterFactor`: who waits lets up to so much more of the retry period pass. */
const jitterFactor = 1.2;

/** Replicas that share the policies. The durations are client-go's defaults, and the same for all replicas. */
export const coordination = z
  .strictObject({
    /** Where the Leases are. */
    namespace: dnsLabel,
    /** What the names of the Leases begin with. */
    name: dnsLabel.default('plimsoll'),
    /** A holder that was silent for so long is taken over from. */
    leaseDurationSeconds: seconds.default(15),
    /** A holder that could not renew for so long writes nothing any more. */
    renewDeadlineSeconds: seconds.default(10),
    /** Between two attempts to renew or to win a Lease. */
    retryPeriodSeconds: seconds.default(2),
    /** How other replicas reach the admin API of this one. */
    advertisedUrl: z
      .string(
        'how other replicas reach this one, in a pod PLIMSOLL_COORDINATION_ADVERTISED_URL with http://$(POD_IP):8080',
      )
      .regex(/^https?:\/\/[^@?#/]+\/?$/, 'http:// or https://, a host and its port, without a path')
      // As Kubernetes leaves it where the variable is none, or stands after this one.
      .refine(
        (url) => !url.includes('$('),
        'the variable in $(…) is not set: it stands before this one in env',
      ),
    /** The authorities that are trusted for an advertised URL with https://, as PEM, in place of the system's. */
    caFile: z.string().min(1).optional(),
  })
  .superRefine(({ leaseDurationSeconds, renewDeadlineSeconds, retryPeriodSeconds }, context) => {
    const report = (name: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (renewDeadlineSeconds >= leaseDurationSeconds)
      report('renewDeadlineSeconds', `is less than leaseDurationSeconds, ${leaseDurationSeconds}`);
    if (retryPeriodSeconds * jitterFactor >= renewDeadlineSeconds) {
      report(
        'retryPeriodSeconds',
        `times ${jitterFactor} is less than renewDeadlineSeconds, ${renewDeadlineSeconds}`,
      );
    }
  });
