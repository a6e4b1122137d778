import { z } from 'zod';
import { dnsLabel, namedApart, namespacePattern, serverUrl } from './value.schema.ts';

const role = z.enum(['viewer', 'operator', 'approver', 'admin']);

/** A role, and where it holds. */
const grant = z.strictObject({
  role,
  namespaces: z.array(namespacePattern).min(1).max(1_000),
});

/** What the controller itself begins has this name in the ledger. */
const ownActor = 'fleet-brake';

/** Of no token at all: what `sha256sum` prints where the variable that was to hold one is empty. */
const hashOfNothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** One digit 64 times, as in examples, is the hash of no token that anybody has. */
export function isPlaceholder(hash: string): boolean {
  return hash === hashOfNothing || /^(.)\1*$/.test(hash);
}

const apiToken = z
  .strictObject({
    name: dnsLabel.refine(
      (name) => name !== ownActor,
      `${ownActor} is the name of the controller's own actions`,
    ),
    /** SHA-256 of the token, in hex: `printf %s "$TOKEN" | sha256sum`. */
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, '64 hex digits')
      .refine(
        (hash) => !isPlaceholder(hash),
        'a placeholder, and the hash of no token: put what `printf %s "$TOKEN" | sha256sum` prints of a token of yours in its place',
      ),
    /** In every namespace; where neither it nor `grants` is set, viewer. */
    role: role.optional(),
    grants: z.array(grant).min(1).max(100).optional(),
    /** Whose token it is: who approves a revision is compared with its authors. */
    email: z.email().optional(),
    forgeLogin: z.string().min(1).optional(),
  })
  .superRefine((token, context) => {
    if (token.role === undefined || token.grants === undefined) return;
    context.addIssue({ code: 'custom', path: ['role'], message: 'does nothing beside grants' });
  })
  .transform(({ role: everywhere = 'viewer', grants, ...token }) => ({
    ...token,
    grants: grants ?? [{ role: everywhere, namespaces: ['*'] }],
  }));

const oidc = z.strictObject({
  /** As the provider writes it in its tokens: `https://id.example.com/realms/main`. */
  issuer: serverUrl,
  clientId: z.string().min(1).max(256),
  /** Absent: a public client, which PKCE protects. */
  clientSecretFile: z.string().min(1).optional(),
  /** The public client that the command line signs in as; absent: `clientId`, where it has no secret. */
  cliClientId: z.string().min(1).max(256).optional(),
  /** Whom bearer JWTs must be for; absent: `clientId`. What is for `cliClientId` is believed, too. */
  audiences: z.array(z.string().min(1).max(256)).min(1).max(20).optional(),
  /** `https://plimsoll.example.com/auth/callback`; absent: nobody signs in with a browser. */
  redirectUrl: serverUrl.refine((url) => url.endsWith('/auth/callback'), 'ends in /auth/callback').optional(),
  scopes: z
    .array(z.string().regex(/^[!-~]{1,64}$/))
    .max(20)
    .default(['openid', 'email', 'profile']),
  algorithms: z
    .array(z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']))
    .min(1)
    .default(['RS256', 'PS256', 'ES256', 'EdDSA']),
  /** Names the caller in the ledger; `email` counts where it is verified, else `sub` does. */
  usernameClaim: z.string().min(1).max(64).default('email'),
  groupsClaim: z.string().min(1).max(64).default('groups'),
  /** Who the caller is at the forge, as approvals compare it with the author of a pull request; absent: not known. */
  forgeLoginClaim: z.string().min(1).max(64).optional(),
  clockSkewSeconds: z.int().min(0).max(300).default(30),
  /** What members of groups may do; a caller of none of them is refused. */
  grants: z
    .array(grant.extend({ group: z.string().min(1).max(256) }))
    .min(1)
    .max(1_000),
  /** How long a browser stays signed in. */
  sessionHours: z.int().min(1).max(24).default(8),
  /** The same as `auth.sessionSecretFile`, which counts before it. */
  sessionSecretFile: z.string().min(1).optional(),
});

const kubernetesCallers = z.strictObject({
  /** Whether tokens of the cluster are recognised. */
  enabled: z.boolean().default(false),
  /** Whom a token must be for; absent: the API server. */
  audiences: z.array(z.string().min(1).max(256)).max(20).default([]),
});

/** Who may do what, and how callers are recognised. */
export const auth = z.strictObject({
  tokens: namedApart(z.array(apiToken).max(1_000).default([])),
  /** Where the one-time administrator token is written (mode 0600) when no token is configured and there is no terminal. */
  tokenFile: z.string().min(1).default('.plimsoll/admin-token'),
  /** The longest that a token which is made through the API may be valid. */
  maximumTokenDays: z.int().min(1).max(366).default(90),
  /** Seals the sessions of browsers: at least 32 characters, the same for all processes; absent: sessions end with the process. */
  sessionSecretFile: z.string().min(1).optional(),
  oidc: oidc.optional(),
  kubernetes: kubernetesCallers.prefault({}),
});
