import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module.ts';
import { TokensModule } from '../admin/tokens.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { clockToken } from '../configuration/configuration.module.ts';
import { CoordinationModule } from '../coordination/coordination.module.ts';
import { HealthModule } from '../health/health.module.ts';
import { actionAnswersToken, LedgerModule } from '../ledger/ledger.module.ts';
import { factoryProvider } from '../provider.ts';
import { ReportsModule } from '../reports/reports.module.ts';
import { AuditController } from './audit.controller.ts';
import { AuditEntriesController } from './audit-entries.controller.ts';
import { DecisionsController } from './decisions.controller.ts';
import { EffectiveValuesController } from './effective-values.controller.ts';
import { InterventionsController } from './interventions.controller.ts';
import { LeaveController } from './leave.controller.ts';
import { PoliciesController } from './policies.controller.ts';
import { QuestionsController, StandingController } from './questions.controller.ts';
import { ReferenceController } from './reference.controller.ts';
import { RepeatedActions } from './repeated-actions.ts';
import { ReplicasController } from './replicas.controller.ts';
import { ReportsController } from './reports.controller.ts';
import { SourcesController } from './sources.controller.ts';
import { TokensController } from './tokens.controller.ts';

/** The admin API below `/api/v1`. */
@Module({
  imports: [
    AdminModule,
    AuthModule,
    CoordinationModule,
    HealthModule,
    LedgerModule,
    ReportsModule,
    TokensModule,
  ],
  providers: [
    factoryProvider(
      RepeatedActions,
      { answers: actionAnswersToken, clock: clockToken },
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
