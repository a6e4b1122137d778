import { Module } from '@nestjs/common';
import { databaseTime, openLedgerDatabase, SqlClusterBinding } from '#adapter-sql';
import { clockToken, configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { deletesAnything } from '../configuration/deletes-anything.ts';
import { factoryProvider, portToken } from '../provider.ts';
import { databaseAddress, noteNewFile } from './database-address.ts';
import { DeferredLedgerDatabase } from './deferred-ledger-database.ts';
import { DeletionTime } from './deletion-time.ts';

export const clusterBindingToken = portToken<SqlClusterBinding>('ClusterBinding');

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
  factoryProvider(
    clusterBindingToken,
    { database: DeferredLedgerDatabase },
    ({ database }) => new SqlClusterBinding(database),
  ),
  factoryProvider(
    DeletionTime,
    { database: DeferredLedgerDatabase, clock: clockToken },
    ({ database, clock }) => new DeletionTime({ clock, databaseTime: () => databaseTime(database) }),
  ),
];

/** The database of the ledger, which is opened when the application starts. */
@Module({ providers, exports: providers })
export class LedgerDatabaseModule {}
