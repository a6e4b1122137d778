import { Module } from '@nestjs/common';
import { clockToken, configurationToken } from '../configuration/configuration.module.ts';
import { databaseUrl } from '../ledger/database-url.ts';
import { administrationWriterToken, LedgerModule } from '../ledger/ledger.module.ts';
import { factoryProvider } from '../provider.ts';
import { LedgerExportsController } from './ledger-exports.controller.ts';
import { LedgerExports } from './ledger-exports.ts';

const providers = [
  factoryProvider(
    LedgerExports,
    { configuration: configurationToken, writer: administrationWriterToken, clock: clockToken },
    ({ configuration, writer, clock }) =>
      new LedgerExports({ databaseUrl: () => databaseUrl(configuration.database), writer, clock }),
  ),
];

/** Exports of the ledger over the API. */
@Module({ imports: [LedgerModule], controllers: [LedgerExportsController], providers, exports: providers })
export class ExportsModule {}
