import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ActionGate } from '../admin/action-gate.ts';
import { AdminModule } from '../admin/admin.module.ts';
import { TokenAdministration } from '../admin/token-administration.ts';
import {
  apiTokensToken,
  clockToken,
  configurationToken,
  loggerToken,
} from '../configuration/configuration.module.ts';
import { administrationWriterToken, LedgerModule, tokenStoreToken } from '../ledger/ledger.module.ts';
import { ProcessFences } from '../ledger/process-fences.ts';
import { factoryProvider } from '../provider.ts';
import { AuthenticationFailures } from './authentication-failures.ts';
import { RequestGate } from './request-gate.ts';
import { RequestLimits } from './request-limits.ts';
import { RolesGuard } from './roles.guard.ts';
import { TokenAuthenticator } from './token-authenticator.ts';
import { TokenRegistry } from './token-registry.ts';

const providers = [
  factoryProvider(
    TokenAuthenticator,
    { tokens: apiTokensToken, clock: clockToken },
    ({ tokens, clock }) => new TokenAuthenticator(tokens, () => clock.now()),
  ),
  factoryProvider(
    TokenRegistry,
    { store: tokenStoreToken, authenticator: TokenAuthenticator, clock: clockToken, logger: loggerToken },
    (options) => new TokenRegistry(options),
  ),
  factoryProvider(
    TokenAdministration,
    {
      store: tokenStoreToken,
      registry: TokenRegistry,
      fences: ProcessFences,
      gate: ActionGate,
      writer: administrationWriterToken,
      clock: clockToken,
      configuration: configurationToken,
    },
    ({ configuration, ...ports }) =>
      new TokenAdministration({ ...ports, maximumDays: configuration.auth.maximumTokenDays }),
  ),
  AuthenticationFailures,
  factoryProvider(
    RequestGate,
    {
      authenticator: TokenAuthenticator,
      configuration: configurationToken,
      failures: AuthenticationFailures,
      registry: TokenRegistry,
    },
    ({ authenticator, configuration, failures, registry }) =>
      new RequestGate({
        authenticator,
        hosts: configuration.listen.hosts,
        limits: new RequestLimits({ onFailure: failures.count }),
        onUse: (principal) => registry.noteUse(principal),
      }),
  ),
];

/** Who calls, and what a role allows. */
@Module({
  imports: [AdminModule, LedgerModule],
  providers: [...providers, { provide: APP_GUARD, useClass: RolesGuard }],
  exports: providers,
})
export class AuthModule {}
