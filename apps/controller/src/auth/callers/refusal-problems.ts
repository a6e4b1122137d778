export const unknownHost = {
  status: 421,
  code: 'UnknownHost',
  detail: 'the Host header names no host of this server: listen.hosts lists what it is called',
};
export const severalHosts = {
  status: 400,
  code: 'BadRequest',
  detail: 'the request has more than one Host header',
};
export const starting = {
  status: 503,
  code: 'Unavailable',
  detail: 'the controller is starting; /readyz says what it waits for',
};
export const crossOrigin = {
  status: 403,
  code: 'CrossOrigin',
  detail: 'a session changes nothing but from pages of this server',
};
export const unauthenticated = {
  status: 401,
  code: 'Unauthenticated',
  detail: 'a valid bearer token is required',
};
/** Neither accepted nor refused: no failure that counts against an address. */
export const unanswered = {
  status: 503,
  code: 'Unavailable',
  detail: 'what knows whose the token is does not answer now; ask again',
};
export const providerAway = {
  status: 503,
  code: 'ProviderAway',
  detail: 'the OpenID provider cannot be asked now',
};
/** `auth.sessionSecretFile`, since the start. */
export const noSessions = {
  status: 503,
  code: 'SessionsUnavailable',
  detail: 'the secret of sessions cannot be read; the log of the controller says why',
};
export const noRole = {
  status: 401,
  code: 'NoRole',
  detail: 'none of the groups that the OpenID provider names has a role here',
};
export const signInRefused = {
  status: 401,
  code: 'SignInRefused',
  detail: 'the OpenID provider refuses the sign-in',
};
export const signInEnded = {
  status: 401,
  code: 'SignInEnded',
  detail: 'the sign-in took too long, was begun again, or was not begun here',
};
export const tooManyFailures = {
  status: 429,
  code: 'TooManyFailures',
  detail: 'too many requests without a valid token',
};
export const tooManyRequests = {
  status: 429,
  code: 'TooManyRequests',
  detail: 'too many requests of this token are under way',
};
export const tooManyOfCaller = {
  status: 429,
  code: 'TooManyRequests',
  detail: 'too many requests of this caller within a second',
};
export const tooManyOfAddress = {
  status: 429,
  code: 'TooManyRequests',
  detail: 'too many requests of this address within a second',
};
/** Nobody reads it. */
export const callerLeft = {
  status: 400,
  code: 'BadRequest',
  detail: 'the connection was closed before it was known who calls',
};
