import { Module } from '@nestjs/common';
import { openLedgerDatabase } from '#adapter-sql';
import { configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { factoryProvider } from '../provider.ts';
import { databaseUrl, noteNewFile } from './database-url.ts';
import { DeferredLedgerDatabase } from './deferred-ledger-database.ts';
import { deletesAnything } from './retention.ts';

const providers = [
  factoryProvider(
    DeferredLedgerDatabase,
    { configuration: configurationToken, logger: loggerToken },
    ({ configuration, logger }) =>
      new DeferredLedgerDatabase(async () => {
        const url = await databaseUrl(configuration.database);
        noteNewFile(url, logger);
        return openLedgerDatabase({
          url,
          givesSpaceBack: deletesAnything(configuration),
          onSlow: (slow) => logger.debug(slow, 'slow SQL statement'),
        });
      }),
  ),
];

/** The database of the ledger, which is opened when the application starts. */
@Module({ providers, exports: providers })
export class LedgerDatabaseModule {}
