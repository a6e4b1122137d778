import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module.ts';
import { InterventionsController } from './interventions.controller.ts';
import { PoliciesController } from './policies.controller.ts';
import { ReferenceController } from './reference.controller.ts';
import { SourcesController } from './sources.controller.ts';

/** The admin API below `/api/v1`. */
@Module({
  imports: [AdminModule],
  controllers: [PoliciesController, SourcesController, InterventionsController, ReferenceController],
})
export class AdminRestModule {}
