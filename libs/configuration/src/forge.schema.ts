import { z } from 'zod';
import { withoutTrailing } from '#kernel';
import { serverUrl } from './value.schema.ts';

/** Who sends a webhook: each signs in a way of its own. */
export const webhookProviders = ['github', 'gitlab', 'gitea', 'bitbucket', 'generic'] as const;
export type WebhookProvider = (typeof webhookProviders)[number];

const file = z.string().min(1);

/** A source learns of pushes at `POST /webhooks/<name of the source>`. */
export const webhook = z.strictObject({
  provider: z.enum(webhookProviders),
  /** One secret per line, at most 4, each accepted; read at each delivery. */
  secretFile: file,
});

const defaultApiUrls: Readonly<Record<string, string>> = {
  github: 'https://api.github.com',
  gitlab: 'https://gitlab.com/api/v4',
};

/** Where commit statuses are written, and where is asked who allowed a commit. */
export const forge = z
  .strictObject({
    provider: z.enum(['github', 'gitlab', 'gitea']),
    /** The API's root: `https://git.example.com/api/v1`; of GitHub and GitLab the public one is the default. */
    apiUrl: serverUrl.optional(),
    /** `owner/name`; of GitLab the whole path, `group/subgroup/name`. */
    repository: z
      .string()
      .max(500)
      .regex(/^[\w.-]+(\/[\w.-]+)+$/, 'owner/name'),
    tokenFile: file,
    /** The authorities that are trusted, as PEM, in place of the system's. */
    caFile: file.optional(),
    /** One line, `http://user:password@proxy:3128`; absent: the proxy of the environment, if any. */
    proxyFile: file.optional(),
    /** Whether commits are given a status. */
    status: z.boolean().default(true),
  })
  .transform((value, context) => {
    const apiUrl = value.apiUrl ?? defaultApiUrls[value.provider];
    if (apiUrl !== undefined) return { ...value, apiUrl: withoutTrailing(apiUrl, '/') };
    context.addIssue({ code: 'custom', path: ['apiUrl'], message: 'gitea has no public default' });
    return z.NEVER;
  });
