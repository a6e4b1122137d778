import type { Configuration } from '#configuration';

/** A report that is made again and again. */
export type ReportSchedule = Configuration['reports']['schedules'][number];
