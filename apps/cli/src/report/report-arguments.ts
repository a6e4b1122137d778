import type { ReportFormat } from '#report';

/** The options of `plimsoll report`. */
export interface ReportArguments {
  /** This or the folder of an export. */
  readonly database?: string;
  /** Of the controller that is asked where neither is given. */
  readonly context?: string;
  readonly passwordFile?: string;
  readonly from: string;
  readonly until?: string;
  readonly timeZone: string;
  readonly namespace?: readonly string[];
  readonly policy?: readonly string[];
  readonly team?: readonly string[];
  readonly teamLabel: string;
  readonly pricePerReplicaHour?: string;
  readonly currency?: string;
  readonly format: ReportFormat;
  readonly output?: string;
}
