import { escapeControls } from '#kernel';
import { reportExceptions, type ReportRow } from '../rows/report-row.ts';
import { filterText, leftOutText } from '../terms/filter-text.ts';
import { localText } from '../terms/period.ts';
import { hoursText, type Price } from '../terms/price.ts';
import type { ReportResult, ReportStatement } from '../terms/report-statement.ts';
import {
  clustersText,
  knownCostText,
  knownHoursText,
  oldestEntryText,
  type ReportTotals,
  type Total,
} from '../totals/report-totals.ts';
import { LocalTimes } from './local-times.ts';
import type { ReportForm } from './report-form.ts';

const columns = [
  'kind',
  'time',
  'namespace',
  'policy',
  'team',
  'actor',
  'action',
  'before',
  'after',
  'reason',
  'commit',
  'exception',
  'details',
  'entry',
  'replicaHours',
  'unknownHours',
  'scalingEvents',
  'cost',
] as const;

type Column = (typeof columns)[number];

/** A report as one table (RFC 4180): `Statement` and `Head` rows first, what happened, then totals. */
export class CsvReport implements ReportForm {
  #times = new LocalTimes('UTC');
  #price: Price | null = null;

  begin(statement: ReportStatement): string {
    const { period, filter, price, madeAt, readFrom, heads, checkpoint } = statement;
    this.#times = new LocalTimes(period.timeZone);
    this.#price = price;
    const says = (action: string, after: string): string => line({ kind: 'Statement', action, after });
    return (
      `\uFEFF${columns.join(',')}\r\n` +
      says('madeAt', madeAt) +
      says('readFrom', readFrom) +
      says('from', localText(period.from, period.timeZone)) +
      says('until', localText(period.until, period.timeZone)) +
      says('timeZone', period.timeZone) +
      says('filter', filterText(filter)) +
      says('leftOut', leftOutText(filter) ?? 'nothing') +
      says('price', price === null ? 'none' : `${price.text} ${price.currency} per replica-hour`) +
      says('checkpoint', checkpoint === null ? 'none' : `${checkpoint.number} of ${checkpoint.time}`) +
      heads
        .map(({ stream, seq, hash }) => line({ kind: 'Head', after: hash, entry: `${stream}#${seq}` }))
        .join('')
    );
  }

  row(row: ReportRow): string {
    const time = this.#times.text(Date.parse(row.time));
    // Written at once: a year's report has a million rows. The last cells are those of totals.
    return `${row.kind},${time},${optionalCell(row.namespace)},${optionalCell(row.policy)},${optionalCell(row.team)},${optionalCell(row.actor)},${csvCell(row.action)},${optionalCell(row.before)},${optionalCell(row.after)},${optionalCell(row.reason)},${optionalCell(row.commit)},${row.exception ?? ''},${optionalCell(row.details)},${csvCell(row.entry)},,,,\r\n`;
  }

  end(totals: ReportTotals, { verification: { status, fault }, nothingMatches }: ReportResult): string {
    return (
      totals.policies
        .map((total) => {
          const { namespace, policy, team } = total;
          return line({ kind: 'PolicyTotal', namespace, policy, team, ...this.#totalCells(total) });
        })
        .join('') +
      [...totals.namespaces]
        .map(([namespace, total]) => line({ kind: 'NamespaceTotal', namespace, ...this.#totalCells(total) }))
        .join('') +
      [...totals.teams]
        .map(([team, total]) => line({ kind: 'TeamTotal', team, ...this.#totalCells(total) }))
        .join('') +
      reportExceptions
        .map((exception) =>
          line({ kind: 'ExceptionTotal', exception, after: String(totals.exceptions.get(exception) ?? 0) }),
        )
        .join('') +
      line({ kind: 'Total', ...this.#totalCells(totals.total) }) +
      line({ kind: 'Statement', action: 'clusters', after: clustersText(totals) }) +
      line({ kind: 'Statement', action: 'oldestEntry', after: oldestEntryText(totals) ?? 'none' }) +
      line({
        kind: 'Statement',
        action: 'entriesWithoutContent',
        after: String(totals.entriesWithoutContent),
      }) +
      line({ kind: 'Statement', action: 'nothingMatches', after: nothingMatches ?? 'no' }) +
      line({ kind: 'Statement', action: 'verification', after: status, reason: fault })
    );
  }

  /** Where no count is known, the cells of what follows from it are empty. */
  #totalCells(total: Total): Partial<Record<Column, string | null>> {
    return {
      replicaHours: knownHoursText(total),
      unknownHours: hoursText(total.unknownMilliseconds),
      scalingEvents: String(total.scalingEvents),
      ...(this.#price === null ? {} : { cost: knownCostText(total, this.#price) }),
    };
  }
}

function line(cells: Partial<Readonly<Record<Column, string | null>>>): string {
  return `${columns.map((column) => optionalCell(cells[column])).join(',')}\r\n`;
}

function optionalCell(text: string | null | undefined): string {
  return text === null || text === undefined ? '' : csvCell(text);
}

/** What spreadsheets take for the beginning of a formula, in wide forms, too. */
const formulaStart = /^[\s\p{Cc}]*[=+\-@＝＋－＠|]/u;
/** What some of them part cells by in place of the comma, whatever is quoted, and how a formula then begins. */
const parting = /([;\t\r\n])/;
const formulaBehind = /^[\s\p{Cc}"]*[=+\-@＝＋－＠|]/u;
/** Most cells: begins no formula, and has nothing special. */
const plain = /^(?:[A-Za-z0-9][A-Za-z0-9 .:/_+#-]*)?$/;
const special = /[",\r\n\t;]/;

/** A cell that no spreadsheet computes: what looks like a formula has an apostrophe before it. */
export function csvCell(value: string): string {
  if (plain.test(value)) return value;
  // A table is looked at in a terminal, too.
  const text = value.replace(/[^\t\r\n]+/g, escapeControls);
  const parted = text
    .split(parting)
    .map((part, index) => (index > 0 && formulaBehind.test(part) ? `'${part}` : part))
    .join('');
  const safe = formulaStart.test(text) || /^[\t\r\n]/.test(text) ? `'${parted}` : parted;
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
