import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AdminModule } from '../admin/admin.module.ts';
import { apiTokensToken, configurationToken } from '../configuration/configuration.module.ts';
import { factoryProvider } from '../provider.ts';
import { AuthenticationFailures } from './authentication-failures.ts';
import { RequestGate } from './request-gate.ts';
import { RequestLimits } from './request-limits.ts';
import { RolesGuard } from './roles.guard.ts';
import { TokenAuthenticator } from './token-authenticator.ts';

const providers = [
  factoryProvider(
    TokenAuthenticator,
    { tokens: apiTokensToken },
    ({ tokens }) => new TokenAuthenticator(tokens),
  ),
  AuthenticationFailures,
  factoryProvider(
    RequestGate,
    {
      authenticator: TokenAuthenticator,
      configuration: configurationToken,
      failures: AuthenticationFailures,
    },
    ({ authenticator, configuration, failures }) =>
      new RequestGate({
        authenticator,
        hosts: configuration.listen.hosts,
        limits: new RequestLimits({ onFailure: failures.count }),
      }),
  ),
];

/** Who calls, and what a role allows. */
@Module({
  imports: [AdminModule],
  providers: [...providers, { provide: APP_GUARD, useClass: RolesGuard }],
  exports: providers,
})
export class AuthModule {}
