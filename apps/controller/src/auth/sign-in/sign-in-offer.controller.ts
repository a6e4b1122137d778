import { Controller, Get, Inject } from '@nestjs/common';
import type { Configuration } from '#configuration';
import type { DeviceSignIn, SignInOffer } from '#contracts';
import { configurationToken } from '../../configuration/configuration.module.ts';
import type { OidcSettings } from '../identities/oidc-provider.ts';

/** Names the ways to sign in to everyone. */
@Controller('auth')
export class SignInOfferController {
  readonly #offer: SignInOffer;

  constructor(@Inject(configurationToken) { auth: { oidc }, graphql }: Configuration) {
    this.#offer = {
      openId: oidc?.redirectUrl !== undefined,
      device: oidc === undefined ? null : deviceSignInOf(oidc),
      graphiql: graphql.graphiql,
    };
  }

  /** What the console's sign-in page offers, and what the command line signs in with. */
  @Get('session')
  offered(): SignInOffer {
    return this.#offer;
  }
}

/** A client with a secret is none for a program that everyone has. */
function deviceSignInOf(settings: OidcSettings): DeviceSignIn | null {
  const { issuer, clientId, clientSecretFile, cliClientId, scopes } = settings;
  const publicClient = cliClientId ?? (clientSecretFile === undefined ? clientId : undefined);
  return publicClient === undefined ? null : { issuer, clientId: publicClient, scopes };
}
