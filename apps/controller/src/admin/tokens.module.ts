import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { TokenRegistry } from '../auth/identities/token-registry.ts';
import { clockToken, configurationToken } from '../configuration/configuration.module.ts';
import { DeletionTime } from '../database/deletion-time.ts';
import { LedgerDatabaseModule } from '../database/ledger-database.module.ts';
import { administrationWriterToken, LedgerModule } from '../ledger/ledger.module.ts';
import { factoryProvider } from '../provider.ts';
import { ActionGate } from './access/action-gate.ts';
import { AdminModule } from './admin.module.ts';
import { TokenAdministration } from './tokens/token-administration.ts';

const providers = [
  factoryProvider(
    TokenAdministration,
    {
      registry: TokenRegistry,
      gate: ActionGate,
      writer: administrationWriterToken,
      time: DeletionTime,
      clock: clockToken,
      configuration: configurationToken,
    },
    ({ configuration, ...ports }) =>
      new TokenAdministration({ ...ports, maximumDays: configuration.auth.maximumTokenDays }),
  ),
];

/** How API tokens are made, listed and revoked. */
@Module({
  imports: [AdminModule, AuthModule, LedgerDatabaseModule, LedgerModule],
  providers,
  exports: providers,
})
export class TokensModule {}
