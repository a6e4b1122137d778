import { AdapterError } from '#kernel';
import { object, objects, text } from '../read-json.ts';

/** The values of an instant query's answer, as written, in the server's order. */
export interface PrometheusValues {
  readonly values: readonly string[];
  /** Of the first value, RFC 3339. */
  readonly timestamp: string;
}

/**
 * Reads the answer to an instant query: a scalar, or a vector of at least one series.
 *
 * @throws AdapterError `Malformed` for anything else, `NoData` for an empty vector, `NotANumber` for NaN and infinities.
 */
export function parseInstantQuery(body: string): PrometheusValues {
  const data = object(object(parseJson(body))['data']);
  const samples = samplesOf(text(data['resultType']), data['result']);
  const [first] = samples;
  if (first === undefined) throw invalid('NoData', 'the query gives no series');
  const wrong = samples.find(({ value }) => !/\d/.test(value));
  if (wrong !== undefined) throw invalid('NotANumber', `the query gives ${wrong.value}`);
  return { values: samples.map(({ value }) => value), timestamp: timestampOf(first.seconds) };
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
