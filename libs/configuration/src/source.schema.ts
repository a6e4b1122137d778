import { z } from 'zod';
import { sourceUrlProblem } from '#git-sync';
import { findTenantProblems, globProblem } from '#repository';
import { forge, webhook } from './forge.schema.ts';
import { dnsLabel, duration } from './value.schema.ts';

const file = z.string().min(1);

/** A pattern of files or folders. */
const glob = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    const message = globProblem(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** Files that hold secrets: read at each fetch, so that a rotation needs no restart. */
export const credentials = z
  .strictObject({
    sshKeyFile: file,
    knownHostsFile: file,
    tokenFile: file,
    username: z.string().min(1),
    /** The authorities that are trusted over https://, as PEM, in place of the system's. */
    caFile: file,
    /** One line, `http://user:password@proxy:3128`, for https://; absent: the proxy of the environment, if any. */
    proxyFile: file,
    githubApp: z.strictObject({
      appId: z.string().regex(/^[0-9]+$/, 'a number in quotes'),
      installationId: z.string().regex(/^[0-9]+$/, 'a number in quotes'),
      privateKeyFile: file,
      apiUrl: z
        .string()
        .regex(/^https:\/\/[^@?#]*$/, 'https://, without a user or a query')
        .default('https://api.github.com'),
    }),
  })
  .partial();

/** A directory of the repository with its own namespaces and its own transaction. */
const tenant = z.strictObject({
  name: dnsLabel,
  /** A glob of directories from the repository's root: `teams/shop`, `teams/*`. */
  path: glob,
  namespaces: z.array(dnsLabel).min(1).max(10_000).optional(),
  namespace: dnsLabel.optional(),
  limits: z
    .strictObject({ maxReplicas: z.number().int().min(1), minInterval: duration })
    .partial()
    .optional(),
  servers: z.array(z.string().min(1)).max(100).optional(),
});

/** Whose signatures count, and on which commits; the keys come from here, never from the repository. */
const verify = z.strictObject({
  commits: z.enum(['Head', 'FirstParent', 'Every']).default('FirstParent'),
  sshAllowedSignersFile: file.optional(),
  openPgpKeysFile: file.optional(),
  forgeFingerprints: z.array(z.string().min(1)).max(100).default([]),
});

const limits = z.strictObject({
  fileBytes: z
    .number()
    .int()
    .min(1)
    .default(5 * 1024 * 1024),
  files: z.number().int().min(1).default(50_000),
  documentsPerFile: z.number().int().min(1).default(1_000),
  aliasExpansions: z.number().int().min(0).default(10_000),
  fetchBytes: z
    .number()
    .int()
    .min(1)
    .default(2 * 1024 * 1024 * 1024),
  fetchTimeout: duration.default(300),
});

/** Tenants whose names and folders are their own: a file belongs to one. */
const tenants = z
  .array(tenant)
  .max(1_000)
  .default([])
  .superRefine((list, context) => {
    for (const { index, field, message } of findTenantProblems(list))
      context.addIssue({ code: 'custom', path: [index, field], message });
  });

/** A revision that changes more targets than both is held. */
const blastRadius = z.strictObject({
  targets: z.number().int().min(0).default(10),
  percent: z.number().min(0).max(100).default(10),
});

/** Of a Git repository. */
export const sourceUrl = z.string().superRefine((url, context) => {
  const problem = sourceUrlProblem(url);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

/** Where policies come from. */
export const source = z.strictObject({
  name: dnsLabel,
  url: sourceUrl,
  ref: z.string().min(1).default('refs/heads/main'),
  path: z.string().default(''),
  include: z.array(glob).max(100).default([]),
  exclude: z.array(glob).max(100).default([]),
  namespace: dnsLabel.optional(),
  tenants,
  interval: duration.default(60),
  credentials: credentials.optional(),
  verify: verify.optional(),
  limits: limits.prefault({}),
  blastRadius: blastRadius.prefault({}),
  /** Whether an approver whose address is unknown may approve: unknown is not different. */
  unknownApprovers: z.enum(['Refused', 'Allowed']).default('Refused'),
  webhook: webhook.optional(),
  forge: forge.optional(),
});

/** A source with every default filled in. Durations are seconds. */
export type SourceSettings = z.output<typeof source>;

/** What of a source says how its repository is read. */
export const sourceReading = source.pick({
  path: true,
  include: true,
  exclude: true,
  namespace: true,
  tenants: true,
  limits: true,
});

/** How a source's repository is read, every default filled in. */
export type SourceReading = z.output<typeof sourceReading>;
