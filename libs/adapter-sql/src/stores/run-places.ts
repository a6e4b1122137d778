import type { EntryQuery } from '#ledger';
import type { SqlQuery } from '../sql-database.ts';

const nanosecondsPerDay = 86_400_000_000_000n;

/** As the index has it. */
const day = `time_nanoseconds / ${nanosecondsPerDay}`;
const runs = 'ledger_entry INDEXED BY ledger_entry_run_day';
const selectDay = `SELECT ${day} FROM ${runs} WHERE kind = 'DecisionRun' AND payload_hash IS NULL`;

/**
 * For SQLite: selects the places of those runs of streams that come first in the order of a query. Their index begins with
 * the day, so that what is appended changes few of its pages. One day with runs after the other is looked into until there
 * are enough of them.
 *
 * @param wanted the condition on runs, which names their kind and streams
 */
export function runPlaces(query: EntryQuery, wanted: Required<SqlQuery>, order: string): Required<SqlQuery> {
  const enough = query.limit + 1;
  const days = daysOf(query);
  const [nextDay, last] = [`ORDER BY ${day} ${days.direction} LIMIT 1`, bound(days.until, days.last)];
  const first = bound(days.from, days.first);
  return {
    sql: `SELECT * FROM (
      WITH RECURSIVE walked (day, found) AS (
        SELECT (${selectDay} ${first.sql} ${last.sql} ${nextDay}), 0
        UNION ALL
        SELECT (${selectDay} AND ${day} ${days.beyond} walked.day ${last.sql} ${nextDay}),
          found + (SELECT COUNT(*) FROM (
            SELECT 1 FROM ${runs} WHERE ${day} = walked.day AND ${wanted.sql} LIMIT ${enough}))
        FROM walked WHERE day IS NOT NULL AND found < ${enough}
      )
      SELECT position, time_nanoseconds FROM walked CROSS JOIN ${runs}
        WHERE found < ${enough} AND ${day} = walked.day AND ${wanted.sql} ${order}) AS page`,
    parameters: [
      ...first.parameters,
      ...last.parameters,
      ...last.parameters,
      ...wanted.parameters,
      ...wanted.parameters,
    ],
  };
}

/** In which days a query finds runs, and how they follow each other. */
interface Days {
  readonly direction: 'ASC' | 'DESC';
  readonly beyond: '<' | '>';
  readonly from: '<=' | '>=';
  readonly until: '<=' | '>=';
  /** A time of the day that comes first, and of the one that comes last; undefined: any day. */
  readonly first: bigint | undefined;
  readonly last: bigint | undefined;
}

function daysOf({ order, from, until, after }: EntryQuery): Days {
  const [earliest, latest] = [from, until === undefined ? undefined : until - 1n];
  return order === 'NewestFirst'
    ? {
        direction: 'DESC',
        beyond: '<',
        from: '<=',
        until: '>=',
        first: after?.timeNanoseconds ?? latest,
        last: earliest,
      }
    : {
        direction: 'ASC',
        beyond: '>',
        from: '>=',
        until: '<=',
        first: after?.timeNanoseconds ?? earliest,
        last: latest,
      };
}

function bound(sign: string, time: bigint | undefined): Required<SqlQuery> {
  return time === undefined
    ? { sql: '', parameters: [] }
    : { sql: `AND ${day} ${sign} ?`, parameters: [time / nanosecondsPerDay] };
}
