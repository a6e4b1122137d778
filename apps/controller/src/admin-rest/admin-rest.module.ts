import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module.ts';
import { TokensModule } from '../admin/tokens.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { clockToken } from '../configuration/configuration.module.ts';
import { CoordinationModule } from '../coordination/coordination.module.ts';
import { DeletionTime } from '../database/deletion-time.ts';
import { LedgerDatabaseModule } from '../database/ledger-database.module.ts';
import { HealthModule } from '../health/health.module.ts';
import { actionAnswersToken, LedgerModule } from '../ledger/ledger.module.ts';
import { factoryProvider } from '../provider.ts';
import { ReportsModule } from '../reports/reports.module.ts';
import { RepeatedActions } from './answers/repeated-actions.ts';
import { AuditController } from './controllers/audit.controller.ts';
import { AuditEntriesController } from './controllers/audit-entries.controller.ts';
import { DecisionsController } from './controllers/decisions.controller.ts';
import { EffectiveValuesController } from './controllers/effective-values.controller.ts';
import { InterventionsController } from './controllers/interventions.controller.ts';
import { LeaveController } from './controllers/leave.controller.ts';
import { PoliciesController } from './controllers/policies.controller.ts';
import { QuestionsController, StandingController } from './controllers/questions.controller.ts';
import { ReferenceController } from './controllers/reference.controller.ts';
import { ReplicasController } from './controllers/replicas.controller.ts';
import { ReportsController } from './controllers/reports.controller.ts';
import { SourcesController } from './controllers/sources.controller.ts';
import { TokensController } from './controllers/tokens.controller.ts';

/** The admin API below `/api/v1`. */
@Module({
  imports: [
    AdminModule,
    AuthModule,
    CoordinationModule,
    HealthModule,
    LedgerDatabaseModule,
    LedgerModule,
    ReportsModule,
    TokensModule,
  ],
  providers: [
    factoryProvider(
      RepeatedActions,
      { answers: actionAnswersToken, time: DeletionTime, clock: clockToken },
      (ports) => new RepeatedActions(ports),
    ),
  ],
  controllers: [
    PoliciesController,
    EffectiveValuesController,
    DecisionsController,
    SourcesController,
    InterventionsController,
    AuditEntriesController,
    AuditController,
    TokensController,
    ReportsController,
    LeaveController,
    ReplicasController,
    QuestionsController,
    StandingController,
    ReferenceController,
  ],
})
export class AdminRestModule {}
