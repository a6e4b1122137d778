import { Args, Context, ID, Query, Resolver } from '@nestjs/graphql';
import { OperatorAction } from '../../admin/access/operator-action.decorator.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import { ReportSchedules } from '../../reports/report-schedules.ts';
import { Reports } from '../../reports/reports.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import { Report, ReportAction, ReportArguments, ReportSchedule, toReport } from '../types/report.type.ts';
import { ActionMutation } from './action-mutation.decorator.ts';

/** REST has all of them, in pages. */
const maximumListed = 100;

/** Reports of what happened in a period. */
@Resolver(() => Report)
export class ReportsResolver {
  readonly #reports: Reports;
  readonly #schedules: ReportSchedules;

  constructor(reports: Reports, schedules: ReportSchedules) {
    this.#reports = reports;
    this.#schedules = schedules;
  }

  @Roles('viewer')
  @Query(() => [Report], {
    description:
      'The reports that the caller has asked for, newest first, 100 at most; to an administrator of all namespaces, everyone’s.',
  })
  reports(@Context() { principal }: RequestContext): readonly Report[] {
    return this.#reports.list(principal).slice(0, maximumListed).map(toReport);
  }

  @Roles('viewer')
  @Query(() => Report, {
    nullable: true,
    description: 'One report: how far it is, and what it was made from.',
  })
  report(
    @Args('id', { type: () => ID, description: 'As `reports` and `requestReport` have it.' }) id: string,
    @Context() { principal }: RequestContext,
  ): Report | null {
    const report = this.#reports.find(principal, id);
    return report === null ? null : toReport(report);
  }

  @Roles('viewer')
  @Query(() => [ReportSchedule], {
    description: 'The reports that are made again and again; none to who may not view every namespace.',
  })
  reportSchedules(@Context() { principal }: RequestContext): readonly ReportSchedule[] {
    return this.#schedules.list(principal);
  }

  @ActionMutation(
    'viewer',
    () => ReportAction,
    'Has a report made of what the caller may view; it is Ready, or Failed, after a while.',
  )
  @OperatorAction('MakeReport')
  async requestReport(
    @Args() args: ReportArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Report> {
    return toReport(await this.#reports.request(principal, args));
  }
}
