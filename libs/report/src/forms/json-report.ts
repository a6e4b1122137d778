import type { Json, JsonObject } from '#kernel';
import { reportExceptions, type ReportRow } from '../rows/report-row.ts';
import { leftOutText } from '../terms/filter-text.ts';
import { localText } from '../terms/period.ts';
import { hoursText, type Price } from '../terms/price.ts';
import type { ReportResult, ReportStatement } from '../terms/report-statement.ts';
import {
  knownCostText,
  knownHoursText,
  oldestEntryText,
  type ReportTotals,
  type Total,
} from '../totals/report-totals.ts';
import type { ReportForm } from './report-form.ts';

/** A report as JSON objects with one member each, one per line: `report`, then `row`s, `totals`, `nothingMatches` and `verification`. */
export class LinesReport implements ReportForm {
  #price: Price | null = null;

  begin(statement: ReportStatement): string {
    this.#price = statement.price;
    return `{"report":${JSON.stringify(statementJson(statement))}}\n`;
  }

  row(row: ReportRow): string {
    return `{"row":${JSON.stringify(row)}}\n`;
  }

  end(totals: ReportTotals, { verification, nothingMatches }: ReportResult): string {
    return `{"totals":${JSON.stringify(totalsJson(totals, this.#price))}}\n{"nothingMatches":${JSON.stringify(nothingMatches)}}\n{"verification":${JSON.stringify(verification)}}\n`;
  }
}

/** A report as one JSON object, its rows one per line. */
export class JsonReport implements ReportForm {
  #rows = 0;
  #price: Price | null = null;

  begin(statement: ReportStatement): string {
    this.#price = statement.price;
    return `{"report":${JSON.stringify(statementJson(statement))},\n"rows":[`;
  }

  row(row: ReportRow): string {
    this.#rows += 1;
    return `${this.#rows === 1 ? '\n' : ',\n'}${JSON.stringify(row)}`;
  }

  end(totals: ReportTotals, { verification, nothingMatches }: ReportResult): string {
    return `],\n"totals":${JSON.stringify(totalsJson(totals, this.#price))},\n"nothingMatches":${JSON.stringify(nothingMatches)},\n"verification":${JSON.stringify(verification)}}\n`;
  }
}

function statementJson({
  period,
  filter,
  price,
  madeAt,
  readFrom,
  heads,
  checkpoint,
}: ReportStatement): Json {
  const { timeZone } = period;
  return {
    madeAt,
    readFrom,
    period: { from: localText(period.from, timeZone), until: localText(period.until, timeZone), timeZone },
    filter: { ...filter },
    leftOut: leftOutText(filter),
    price: price === null ? null : { perReplicaHour: price.text, currency: price.currency },
    checkpoint: checkpoint === null ? null : { ...checkpoint, number: String(checkpoint.number) },
    heads: heads.map(({ stream, seq, hash }) => ({ stream, seq: String(seq), hash })),
  };
}

function totalsJson(totals: ReportTotals, price: Price | null): Json {
  return {
    ...totalJson(totals.total, price),
    entriesWithoutContent: totals.entriesWithoutContent,
    clusters: [...totals.clusters],
    oldestEntry: oldestEntryText(totals),
    exceptions: Object.fromEntries(
      reportExceptions.map((exception) => [exception, totals.exceptions.get(exception) ?? 0]),
    ),
    policies: totals.policies.map((total) => {
      const { namespace, policy, team } = total;
      return { namespace, policy, team, ...totalJson(total, price) };
    }),
    namespaces: [...totals.namespaces].map(([namespace, total]) => ({
      namespace,
      ...totalJson(total, price),
    })),
    teams: [...totals.teams].map(([team, total]) => ({ team, ...totalJson(total, price) })),
    buckets: totals.buckets.map((bucket) => ({
      label: bucket.label,
      from: new Date(bucket.from).toISOString(),
      until: new Date(bucket.until).toISOString(),
      replicaHours: knownHoursText(bucket),
      scaleUps: bucket.scaleUps,
      scaleDowns: bucket.scaleDowns,
    })),
  };
}

/** Hours and costs are decimal texts, exact to their last place; null: no count is known. */
function totalJson(total: Total, price: Price | null): JsonObject {
  return {
    replicaHours: knownHoursText(total),
    unknownHours: hoursText(total.unknownMilliseconds),
    scalingEvents: total.scalingEvents,
    cost: price === null ? null : knownCostText(total, price),
  };
}
