/** What a metric is of. */
interface NamedMetric {
  readonly name: string;
  readonly type: string;
}

/** `83 % of 2 requested`, as a proposal says it: cores, or bytes. */
const requested = /^(\S+ % of )(\d+)(m?) requested\b/;

const binaryUnits = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'] as const;

/**
 * A step's sentence with the unit of what is requested, where the decision's metrics leave no doubt which resource it is:
 * `83 % of 2 cores requested`, `83 % of 1.5Gi requested`.
 */
export function withRequestUnit(because: string, metrics: readonly NamedMetric[]): string {
  const resource = resourceOf(metrics);
  const [found, before = '', digits = '', milli = ''] = requested.exec(because) ?? [];
  if (found === undefined || resource === undefined) return because;
  const value = Number(digits) / (milli === '' ? 1 : 1_000);
  const quantity = resource === 'cpu' ? coresText(value) : bytesText(value);
  return `${before}${quantity} requested${because.slice(found.length)}`;
}

/** The only resource among them that has a unit; undefined: there is none, or more than one. */
function resourceOf(metrics: readonly NamedMetric[]): 'cpu' | 'memory' | undefined {
  const names = new Set(metrics.filter(({ type }) => /Resource$/.test(type)).map(({ name }) => name));
  if (names.size !== 1) return undefined;
  return (['cpu', 'memory'] as const).find((each) => names.has(each));
}

function coresText(value: number): string {
  return `${value} ${value === 1 ? 'core' : 'cores'}`;
}

/** In the largest unit of which there is one, to two digits behind the point. */
function bytesText(bytes: number): string {
  const power = Math.min(binaryUnits.length, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const unit = binaryUnits[power - 1];
  return unit === undefined ? `${bytes} bytes` : `${Math.round((100 * bytes) / 1_024 ** power) / 100}${unit}`;
}
