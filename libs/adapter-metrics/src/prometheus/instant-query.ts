import { AdapterError, type JsonObject, redactCredentials } from '#kernel';
import { maximumQuantityLength, object, objects, text } from '../api/read-json.ts';

/** The values of an instant query's answer, as written, in the server's order. */
export interface PrometheusValues {
  readonly values: readonly string[];
  /** Of the first value, RFC 3339. */
  readonly timestamp: string;
}

/**
 * Reads the answer to an instant query: a scalar, or a vector of at least one series.
 *
 * @throws AdapterError `Malformed` for anything else, `Partial` for an answer that says it is not all, `NoData` for an
 *   empty vector, `NotANumber` for NaN and infinities.
 */
export function parseInstantQuery(body: string): PrometheusValues {
  const answer = object(parseJson(body));
  requireWhole(answer);
  const data = object(answer['data']);
  const samples = samplesOf(text(data['resultType']), data['result']);
  const [first] = samples;
  if (first === undefined) throw invalid('NoData', 'the query gives no series');
  const wrong = samples.find(({ value }) => !/\d/.test(value));
  if (wrong !== undefined) throw invalid('NotANumber', `the query gives ${wrong.value}`);
  return { values: samples.map(({ value }) => value), timestamp: timestampOf(first.seconds) };
}

/**
 * Thanos and Mimir answer with success and `warnings` while a store is down, VictoriaMetrics with `isPartial`: the part that
 * is left looks like less load. `infos` are remarks on the query.
 */
function requireWhole(answer: JsonObject): void {
  const { status, error, warnings, isPartial } = answer;
  if (status !== 'success') throw invalid('Malformed', `status ${shown(status)}: ${shown(error)}`);
  if (isPartial === true) throw invalid('Partial', 'the answer is not complete: isPartial is true');
  if (!Array.isArray(warnings) || warnings.length === 0) return;
  throw invalid('Partial', `the answer is not complete: ${shown(warnings[0])}`);
}

/** A text of the server, bounded and without credentials. */
function shown(value: unknown): string {
  return typeof value === 'string' ? redactCredentials(value).slice(0, 300) : 'unknown';
}

interface Sample {
  readonly seconds: number;
  readonly value: string;
}

function samplesOf(resultType: string, result: unknown): readonly Sample[] {
  if (resultType === 'scalar') return [sampleOf(result)];
  if (resultType === 'vector') return objects(result).map((series) => sampleOf(series['value']));
  throw invalid(
    'Malformed',
    `the query gives ${resultType === '' ? 'no result' : `a ${resultType}`}; a scalar or a vector is wanted`,
  );
}

function sampleOf(pair: unknown): Sample {
  const [seconds, value] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
  if (typeof seconds !== 'number' || typeof value !== 'string')
    throw invalid('Malformed', 'a sample is no pair of time and value');
  if (value.length > maximumQuantityLength)
    throw invalid('Malformed', `a value of ${value.length} characters`);
  return { seconds, value };
}

function timestampOf(seconds: number): string {
  const time = new Date(seconds * 1000);
  if (Number.isNaN(time.getTime())) throw invalid('Malformed', `${seconds} is no time`);
  return time.toISOString();
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw invalid('Malformed', 'the answer is no JSON');
  }
}

function invalid(code: string, message: string): AdapterError {
  return new AdapterError({ code, message, retryable: true });
}
