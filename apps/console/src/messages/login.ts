export const login = {
  title: 'Sign in',
  token: 'API token',
  about:
    'The console of a Plimsoll controller: what scales each workload of the cluster, why its count is what it is, and who allowed it.',
  hint: 'Where none is configured, the controller prints one at each start, or says which file it is in. Whoever has access makes others with “plimsoll token create”.',
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
    NoRole:
      'The OpenID provider knows you, but none of your groups has a role here. Who runs Plimsoll gives groups their roles, and finds yours in its log. To come as somebody else, sign out at the provider first.',
    SignInRefused:
      'The OpenID provider refuses the sign-in, or refuses Plimsoll itself. Try again; if it stays so, the controller’s log has what the provider said.',
    SignInEnded:
      'The sign-in took longer than ten minutes, or was begun again in another tab. Sign in once more.',
    TooManyFailures: 'Too many attempts from this address. Wait a minute.',
    ProviderAway:
      'The OpenID provider cannot be asked now; the controller’s log says why. A token signs in without it.',
  } as Readonly<Record<string, string>>,
  link: 'The link’s token is no longer valid: the process that printed it has ended.',
  busy: 'Signing in',
} as const;
