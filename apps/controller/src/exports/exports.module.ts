import { Module } from '@nestjs/common';
import { clockToken, configurationToken } from '../configuration/configuration.module.ts';
import { databaseAddress } from '../database/database-address.ts';
import { administrationWriterToken, LedgerModule } from '../ledger/ledger.module.ts';
import { factoryProvider } from '../provider.ts';
import { LedgerExportsController } from './ledger-exports.controller.ts';
import { LedgerExports } from './ledger-exports.ts';

const providers = [
  factoryProvider(
    LedgerExports,
    { configuration: configurationToken, writer: administrationWriterToken, clock: clockToken },
    ({ configuration, writer, clock }) =>
      new LedgerExports({
        databaseUrl: async () => (await databaseAddress(configuration.database)).url,
        writer,
        clock,
      }),
  ),
];

/** Exports of the ledger over the API. */
@Module({ imports: [LedgerModule], controllers: [LedgerExportsController], providers, exports: providers })
export class ExportsModule {}
