import { formatMilli, isJsonObject, type Json, type JsonObject, parseMilli } from '#kernel';

/**
 * An observation under another load: all that its metrics measured, times a factor. What does not parse stays, as do
 * a recommender's counts. Rounds to milli-units, as quantities are.
 *
 * @example usage of `120m` under the factor 1.5 is `180m`
 */
export function scaleLoad(observation: JsonObject, factor: number): JsonObject {
  const { metrics } = observation;
  if (factor === 1 || !Array.isArray(metrics)) return observation;
  return { ...observation, metrics: metrics.map((metric: Json) => scaleMetric(metric, factor)) };
}

function scaleMetric(metric: Json, factor: number): Json {
  if (!isJsonObject(metric)) return metric;
  const { pods, value, values } = metric;
  return {
    ...metric,
    ...(isQuantity(value) && { value: scaleQuantity(value, factor) }),
    ...(Array.isArray(values) && {
      values: values.map((each: Json) => (isQuantity(each) ? scaleQuantity(each, factor) : each)),
    }),
    ...(Array.isArray(pods) && { pods: pods.map((sample: Json) => scaleSample(sample, factor)) }),
  };
}

function scaleSample(sample: Json, factor: number): Json {
  if (!isJsonObject(sample)) return sample;
  const { containers, value } = sample;
  return {
    ...sample,
    ...(isQuantity(value) && { value: scaleQuantity(value, factor) }),
    ...(Array.isArray(containers) && {
      containers: containers.map((container: Json) => scaleContainer(container, factor)),
    }),
  };
}

function scaleContainer(container: Json, factor: number): Json {
  if (!isJsonObject(container) || !isJsonObject(container['usage'])) return container;
  const usage = Object.entries(container['usage']).map(([resource, quantity]) => [
    resource,
    isQuantity(quantity) ? scaleQuantity(quantity, factor) : quantity,
  ]);
  return { ...container, usage: Object.fromEntries(usage) as JsonObject };
}

function isQuantity(value: Json | undefined): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function scaleQuantity(quantity: string | number, factor: number): string | number {
  const milli = parseMilli(quantity);
  return milli === undefined ? quantity : quantityOf(Number(milli) * factor);
}

/** A quantity of so many thousandths, rounded. */
export function quantityOf(milli: number): string {
  return formatMilli(Math.min(Number.MAX_SAFE_INTEGER, Math.round(milli)));
}
