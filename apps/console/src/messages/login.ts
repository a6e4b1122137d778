export const login = {
  title: 'Sign in',
  token: 'API token',
  about:
    'The console of a Plimsoll controller: what scales each workload of the cluster, why its count is what it is, and who allowed it.',
  hint: 'Where none is configured, the controller prints one at each start, or says which file it is in. An administrator makes others with “plimsoll token create”.',
  submit: 'Sign in',
  openId: 'Sign in with OpenID',
  or: 'or',
  again: 'In a new tab, then come back here',
  results: {
    Empty: 'Paste a token first.',
    Refused: 'That token is not valid here: mistyped, revoked, or of another controller.',
    TooMany: 'Too many attempts from this address. Wait a minute.',
    Unreachable: 'The controller does not answer, or cannot check a token now. Try again.',
  },
  /** By the code that the controller sends a person back with. */
  openIdFailures: {
    Unauthenticated:
      'The OpenID provider knows you, and Plimsoll does not let you in: none of your groups has a role here, or the sign-in took too long. Who runs Plimsoll names the groups.',
    TooManyFailures: 'Too many attempts from this address. Wait a minute.',
    ProviderAway: 'The OpenID provider does not answer now. A token signs in without it.',
  } as Readonly<Record<string, string>>,
  link: 'The link’s token is no longer valid: the process that printed it has ended.',
  busy: 'Signing in',
} as const;
