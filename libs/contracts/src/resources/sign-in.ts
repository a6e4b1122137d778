/** What a program needs to sign a person in at an OpenID provider by the device flow (RFC 8628). */
export interface DeviceSignIn {
  readonly issuer: string;
  /** A public client. */
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** The ways to sign in that `GET /auth/session` names to everyone. */
export interface SignInOffer {
  /** Whether browsers sign in at an OpenID provider. */
  readonly openId: boolean;
  /** Null: programs sign nobody in. */
  readonly device: DeviceSignIn | null;
  /** Whether GraphiQL is served. */
  readonly graphiql: boolean;
}
