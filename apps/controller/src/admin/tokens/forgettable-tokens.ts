import type { StoredToken } from '#ledger';

/** Tokens that are over and are kept to be looked at; beyond them the oldest are forgotten, so that valid ones have room. */
const maximumEnded = 2_000;

/** What expired before a time, and of all else that is over the oldest beyond the bound. Times are RFC 3339, in UTC. */
export function forgettableTokens(
  tokens: readonly StoredToken[],
  now: string,
  before: string,
): readonly StoredToken[] {
  const ended = tokens
    .filter(({ revokedAt, expiresAt }) => revokedAt !== null || expiresAt <= now)
    .toSorted((one, other) => (endOf(one) < endOf(other) ? 1 : -1));
  return ended.filter(({ expiresAt }, index) => index >= maximumEnded || expiresAt < before);
}

function endOf({ revokedAt, expiresAt }: StoredToken): string {
  return revokedAt !== null && revokedAt < expiresAt ? revokedAt : expiresAt;
}
