import type { PassReport, PassReportsPort } from './pass-reports.port.ts';

/** Keeps what was published. */
export class FakePassReports implements PassReportsPort {
  readonly reports: PassReport[] = [];

  publish(report: PassReport): void {
    this.reports.push(report);
  }

  /** The outcomes of one policy, as `kind/reason`, oldest first. */
  outcomesOf(key: string): string[] {
    return this.reports
      .filter((report) => report.key === key)
      .map(({ outcome }) => `${outcome.kind}/${outcome.reason}`);
  }
}
