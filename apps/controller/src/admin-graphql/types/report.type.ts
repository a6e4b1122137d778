import { ArgsType, Field, Float, ID, InputType, ObjectType } from '@nestjs/graphql';
import { apiPrefix } from '#contracts';
import type { ReportFormat } from '#report';
import type { ReportState } from '../../reports/report-folder.ts';
import type { ReportView } from '../../reports/reports.ts';
import { actionResult } from './action-result.ts';
import { enumOf } from './enum-of.ts';

const ReportFormatName = enumOf<ReportFormat>('ReportFormat', 'The form of a report’s text.', {
  json: 'One object, for programs.',
  ndjson: 'A line of JSON per row, for programs that read as they go.',
  csv: 'A table for spreadsheets, safe from formulas.',
  html: 'A page for people with charts, to be read in a browser or printed.',
});
const ReportStateName = enumOf<ReportState>('ReportState', 'How far a report is.', {
  Waiting: 'Others are made before it.',
  Making: 'Its text is being written.',
  Ready: 'Its text can be read at `textPath`.',
  Failed: 'There is no text; `problem` says why.',
});

/** What a report is about, in its time zone. */
@ObjectType({ description: 'The time that a report is about.' })
class ReportPeriod {
  @Field(() => String, { description: 'The beginning, RFC 3339, inclusive.' })
  declare from: string;

  @Field(() => String, { description: 'The end, RFC 3339, exclusive.' })
  declare until: string;

  @Field(() => String, { description: 'The IANA name that days and hours are of: Europe/Berlin.' })
  declare timeZone: string;
}

/** What is in a report. */
@ObjectType({ description: 'What is in a report: all that is not null must fit.' })
class ReportFilter {
  @Field(() => [String], { nullable: true, description: 'Names, or patterns with *.' })
  declare namespaces: readonly string[] | null;

  @Field(() => [String], { nullable: true, description: 'Only these, NAMESPACE/NAME each.' })
  declare policies: readonly string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Only policies of these, by the value of teamLabel.',
  })
  declare teams: readonly string[] | null;

  @Field(() => String, { description: 'The label of a policy that names its team.' })
  declare teamLabel: string;

  @Field(() => [String], {
    nullable: true,
    description:
      'What its maker may view: nothing else is in it, neither syncs nor what operators did to whole sources or the cluster; null: everything.',
  })
  declare visibleNamespaces: readonly string[] | null;
}

/** What a replica costs an hour. */
@ObjectType({ description: 'What a replica costs an hour.' })
class ReplicaPrice {
  @Field(() => String, { description: 'What one replica costs for one hour, a decimal.' })
  declare perReplicaHour: string;

  @Field(() => String, { description: 'A code of three letters, such as EUR.' })
  declare currency: string;
}

/** What a replica is to cost an hour. */
@InputType({ description: 'What a replica costs an hour.' })
class ReplicaPriceInput {
  @Field(() => String, { description: 'A decimal of at most six places.' })
  declare perReplicaHour: string;

  @Field(() => String, { description: 'A code of three letters, such as EUR.' })
  declare currency: string;
}

/** Whether the ledger under a report verifies. */
@ObjectType({ description: 'Whether the ledger that a report was made from verifies.' })
class ReportVerification {
  @Field(() => String, { description: '`Consistent`, or `Broken` where hashes or signatures do not agree.' })
  declare status: string;

  @Field(() => String, { nullable: true, description: 'The first thing that is wrong; null: nothing is.' })
  declare fault: string | null;
}

/** A report that was asked for. */
@ObjectType({ description: 'A report that was asked for, without its text.' })
export class Report {
  @Field(() => ID, { description: 'What `report` and the REST API know it by.' })
  declare id: string;

  @Field(() => ReportStateName, { description: 'How far it is.' })
  declare state: ReportState;

  @Field(() => ReportFormatName, { description: 'The form that its text has.' })
  declare format: ReportFormat;

  @Field(() => ReportPeriod, { description: 'Which time it is about.' })
  declare period: ReportPeriod;

  @Field(() => ReportFilter, { description: 'Which policies it is about.' })
  declare filter: ReportFilter;

  @Field(() => ReplicaPrice, {
    nullable: true,
    description: 'What costs are computed with; null: there are none in it.',
  })
  declare price: ReplicaPrice | null;

  @Field(() => String, { description: 'The person or token that asked for it.' })
  declare owner: string;

  @Field(() => String, { description: 'When it was asked for, RFC 3339.' })
  declare requestedAt: string;

  @Field(() => String, {
    nullable: true,
    description: 'RFC 3339: when it was made, or failed; null: neither yet.',
  })
  declare finishedAt: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'RFC 3339: it is kept until then, unless newer ones need the room; null: it is not made.',
  })
  declare expiresAt: string | null;

  @Field(() => Float, { nullable: true, description: 'Of its text; null: it is not made.' })
  declare bytes: number | null;

  @Field(() => ReportVerification, { nullable: true, description: 'Null: it is not made.' })
  declare verification: ReportVerification | null;

  @Field(() => String, {
    nullable: true,
    description:
      'That the filter selects nothing, and a few of the names that there are instead; null: it selects something, or it is not made.',
  })
  declare nothingMatches: string | null;

  @Field(() => String, { nullable: true, description: 'Why it failed; null: it did not.' })
  declare problem: string | null;

  @Field(() => String, { description: 'The path of its text on this server, which is read over REST.' })
  declare textPath: string;
}

/** A report that is made again and again. */
@ObjectType({ description: 'A report that is made again and again, as the configuration has it.' })
export class ReportSchedule {
  @Field(() => ID, { description: 'What the configuration calls it.' })
  declare name: string;

  @Field(() => String, { description: 'Each report is on the time between two firings.' })
  declare cron: string;

  @Field(() => String, { description: 'The IANA name that its cron and its days are of: Europe/Berlin.' })
  declare timeZone: string;

  @Field(() => ReportFormatName, { description: 'The form that each text has.' })
  declare format: ReportFormat;

  @Field(() => String, {
    nullable: true,
    description: 'When the next is made, RFC 3339; null: its cron does not fire any more.',
  })
  declare nextAt: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The end of the last period that was reported on, RFC 3339; null: this process knows of none.',
  })
  declare reportedUntil: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Since when it could not be made or delivered, RFC 3339; null: the last one was.',
  })
  declare failingSince: string | null;
}

export const ReportAction = actionResult(Report, 'The report that is made, or why none is.');

/** A report that is to be made. */
@ArgsType()
export class ReportArguments {
  @Field(() => String, { description: 'A date, which is a midnight of the time zone, or an RFC 3339 time.' })
  declare from: string;

  @Field(() => String, { nullable: true, description: 'The same, exclusive; null: the present.' })
  declare until?: string | null;

  @Field(() => String, {
    defaultValue: 'UTC',
    description: 'The IANA name that days and hours are of: Europe/Berlin.',
  })
  declare timeZone: string;

  @Field(() => [String], {
    nullable: true,
    description: 'Only the policies of these namespaces, which may be patterns with *.',
  })
  declare namespaces?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Only these policies, NAMESPACE/NAME each.' })
  declare policies?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Only the policies of these teams.' })
  declare teams?: string[] | null;

  @Field(() => String, { defaultValue: 'team', description: 'The label of a policy that names its team.' })
  declare teamLabel: string;

  @Field(() => ReplicaPriceInput, { nullable: true, description: 'Replica-hours are then also a cost.' })
  declare price?: ReplicaPriceInput | null;

  @Field(() => ReportFormatName, { defaultValue: 'json', description: 'The form that its text is to have.' })
  declare format: ReportFormat;
}

/** The GraphQL form of a report. */
export function toReport(view: ReportView): Report {
  return { ...view, textPath: `${apiPrefix}/reports/${view.id}/text` };
}
