import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { clockToken, configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { databaseAddress } from '../database/database-address.ts';
import { administrationWriterToken, LedgerModule, ledgerToken } from '../ledger/ledger.module.ts';
import { factoryProvider, portToken } from '../provider.ts';
import { ReportFolder } from './report-folder.ts';
import { ReportPress } from './report-press.ts';
import { ReportSchedules } from './report-schedules.ts';
import { Reports } from './reports.ts';
import { UndeliveredReports } from './undelivered-reports.ts';

/** What makes reports of schedules: none of them waits for those of callers. */
const schedulePressToken = portToken<ReportPress>('SchedulePress');

const pressProviders = [ReportPress, schedulePressToken].map((token) =>
  factoryProvider(
    token,
    { configuration: configurationToken, clock: clockToken },
    ({ configuration, clock }) =>
      new ReportPress({
        databaseUrl: async () => (await databaseAddress(configuration.database)).url,
        maximumMinutes: configuration.reports.maximumMinutes,
        clock,
      }),
  ),
);

const providers = [
  ...pressProviders,
  factoryProvider(
    Reports,
    {
      press: ReportPress,
      configuration: configurationToken,
      writer: administrationWriterToken,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ configuration, ...ports }) =>
      new Reports({
        ...ports,
        folder: new ReportFolder(join(configuration.dataFolder, 'reports')),
        limits: configuration.reports,
      }),
  ),
  factoryProvider(
    ReportSchedules,
    {
      press: schedulePressToken,
      configuration: configurationToken,
      ledger: ledgerToken,
      writer: administrationWriterToken,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ configuration, ...ports }) =>
      new ReportSchedules(configuration.reports.schedules, {
        ...ports,
        undelivered: new UndeliveredReports(
          join(configuration.dataFolder, 'reports'),
          configuration.reports.folderMegabytes * 1024 ** 2,
        ),
        cluster: configuration.cluster.name,
        maximumMegabytes: configuration.reports.maximumMegabytes,
      }),
  ),
];

/** Reports of the ledger, for callers and by schedule. */
@Module({ imports: [LedgerModule], providers, exports: providers })
export class ReportsModule {}
