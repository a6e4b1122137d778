import { Controller, UseInterceptors } from '@nestjs/common';
import { apiPrefix, operations, type Report, type ReportSchedule, reportTypes } from '#contracts';
import { OperatorAction } from '../../admin/access/operator-action.decorator.ts';
import { ReportSchedules } from '../../reports/report-schedules.ts';
import { Reports, type ReportView } from '../../reports/reports.ts';
import { AnswerInterceptor } from '../answers/answer.interceptor.ts';
import { type Asked, AskedOf } from '../answers/asked.decorator.ts';
import { type Listing, listing, pageOfAll } from '../answers/listing.ts';
import { OperationRoute } from '../answers/operation-route.decorator.ts';
import type { TextDocument } from '../answers/text-document.ts';
import { toReport } from '../answers/wire-forms.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** Reports of what happened in a period. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class ReportsController {
  readonly #reports: Reports;
  readonly #schedules: ReportSchedules;

  constructor(reports: Reports, schedules: ReportSchedules) {
    this.#reports = reports;
    this.#schedules = schedules;
  }

  @OperationRoute(operations.listReports)
  listReports(@AskedOf() { principal, query }: Of<'listReports'>): Listing<Report> {
    return listing(
      query,
      (page) => pageOfAll(this.#reports.list(principal), page, { list: 'reports', keyOf: newestFirst }),
      toReport,
    );
  }

  @OperationRoute(operations.listReportSchedules)
  listReportSchedules(@AskedOf() { principal, query }: Of<'listReportSchedules'>): Listing<ReportSchedule> {
    return listing(
      query,
      (page) =>
        pageOfAll(this.#schedules.list(principal), page, {
          list: 'reportSchedules',
          keyOf: ({ name }) => name,
        }),
      (schedule) => schedule,
    );
  }

  @OperationRoute(operations.createReport)
  @OperatorAction('MakeReport')
  async createReport(@AskedOf() { principal, body }: Of<'createReport'>): Promise<Report> {
    return toReport(await this.#reports.request(principal, body));
  }

  @OperationRoute(operations.getReport)
  getReport(@AskedOf() { principal, parameters }: Of<'getReport'>): Report {
    return toReport(this.#reports.require(principal, parameters.id));
  }

  @OperationRoute(operations.readReport)
  readReport(@AskedOf() { principal, parameters }: Of<'readReport'>): TextDocument {
    const { id, format, bytes } = this.#reports.requireText(principal, parameters.id);
    return {
      type: reportTypes[format],
      name: `plimsoll-report-${id}.${format}`,
      bytes,
      open: () => this.#reports.openText(principal, id),
    };
  }
}

/** A key that sorts the newest first. */
function newestFirst({ requestedAt, id }: ReportView): string {
  return `${String(Number.MAX_SAFE_INTEGER - Date.parse(requestedAt))} ${id}`;
}
