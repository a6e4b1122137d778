import { Module } from '@nestjs/common';
import { openLedgerDatabase } from '#adapter-sql';
import { configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { factoryProvider } from '../provider.ts';
import { databaseAddress, noteNewFile } from './database-address.ts';
import { DeferredLedgerDatabase } from './deferred-ledger-database.ts';
import { deletesAnything } from './retention.ts';

const providers = [
  factoryProvider(
    DeferredLedgerDatabase,
    { configuration: configurationToken, logger: loggerToken },
    ({ configuration, logger }) =>
      new DeferredLedgerDatabase(async () => {
        const address = await databaseAddress(configuration.database);
        noteNewFile(address.url, logger);
        return openLedgerDatabase({
          ...address,
          givesSpaceBack: deletesAnything(configuration),
          onSlow: (slow) => logger.debug(slow, 'slow SQL statement'),
        });
      }),
  ),
];

/** The database of the ledger, which is opened when the application starts. */
@Module({ providers, exports: providers })
export class LedgerDatabaseModule {}
