export const login = {
  title: 'Sign in',
  token: 'API token',
  hint: 'The controller prints one at its first start; others are made with “plimsoll token create”.',
  submit: 'Sign in',
  openId: 'Sign in with OpenID',
  or: 'or',
  again: 'In a new tab, then come back here',
  results: {
    SignedIn: '',
    Refused: 'That token is not valid here: mistyped, revoked, or of another controller.',
    TooMany: 'Too many attempts from this address. Wait a minute.',
    Unreachable: 'The controller does not answer.',
  },
  link: 'The link’s token is no longer valid: the process that printed it has ended.',
  busy: 'Signing in',
} as const;
