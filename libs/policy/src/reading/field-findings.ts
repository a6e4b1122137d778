import { isMap } from './is-map.ts';
import type { Finding } from './place.ts';
import { hasPlaceholder, placeholderLeft } from './placeholder.ts';
import { showValue, typeName } from './show-value.ts';
import { suggest } from './suggest.ts';
import { suggested } from './suggested.ts';

/** The finding for a value of another type. Text with a `${…}` is what a template left behind. */
export function wrongType(name: string, value: unknown, wanted: string): Finding {
  if (typeof value === 'string' && hasPlaceholder(value)) return placeholderLeft(name, value);
  const subject = name === '' ? 'the document' : name;
  const type = typeName(value);
  const shown = showValue(value);
  return {
    code: 'InvalidType',
    message: `${subject} must be ${wanted}, is ${type === shown ? type : `${type}: ${shown}`}`,
    ...typeHint(name, value, wanted),
  };
}

function typeHint(name: string, value: unknown, wanted: string): Pick<Finding, 'hint'> {
  switch (wanted) {
    case 'a whole number':
      return numberHint(name, value);
    case 'a list':
      return isMap(value) ? listHint(value) : {};
    case 'true or false':
      return value === 'true' || value === 'false' ? { hint: `write ${value}, without quotes` } : {};
    default:
      return quoteHint(value, wanted);
  }
}

/** `-type: Resource` is read as a key that begins with a dash. */
function listHint(value: Readonly<Record<string, unknown>>): Required<Pick<Finding, 'hint'>> {
  const dashed = Object.keys(value).find((key) => /^-[^\s-]/.test(key));
  return dashed === undefined
    ? { hint: 'begin each of its items with "- "' }
    : { hint: `put a space after the dash: - ${dashed.slice(1, 60)}` };
}

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** The number that a text means: `60` for "60%", and `300` for "5m" where seconds are asked for. */
function numberHint(name: string, value: unknown): Pick<Finding, 'hint'> {
  if (typeof value === 'number') return fractionHint(name, value);
  const [, digits, unit = ''] =
    /^(0|[1-9]\d{0,8})([smh%]?)$/.exec(typeof value === 'string' ? value : '') ?? [];
  if (digits === undefined) return {};
  if (unit === '') return { hint: `write ${digits}, without quotes` };
  if (unit === '%') return { hint: `write ${digits}, without quotes and %` };
  if (!name.endsWith('Seconds')) return {};
  return { hint: `write ${Number(digits) * (secondsPerUnit[unit] ?? 1)}: it is in seconds` };
}

/** The percentage that a fraction means. */
function fractionHint(name: string, value: number): Pick<Finding, 'hint'> {
  const isFraction = value > 0 && value < 1 && /(?:Utilization|Percent|Percentage)$/.test(name);
  return isFraction ? { hint: `it is in percent: write ${Number((value * 100).toPrecision(6))}` } : {};
}

function quoteHint(value: unknown, wanted: string): { hint?: string } {
  const isScalar = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint';
  return wanted === 'a string' && isScalar ? { hint: `quote it: "${String(value)}"` } : {};
}

/** The finding for a word that is none of a few. */
export function unsupportedWord(name: string, given: string, words: readonly string[]): Finding {
  const message = `${name} must be one of ${words.join(', ')}, is ${showValue(given)}`;
  return { code: 'NotSupported', message, ...suggested(suggest(given, words)) };
}

/** The finding for a time that is longer than anyone means, as likely as not. */
export function longTime(name: string, seconds: number): Finding {
  const message = `${name} ${seconds} is read as ${Math.floor((seconds / 86_400) * 10) / 10} days`;
  const meant = seconds % 1000 === 0 ? `${seconds / 1000}` : undefined;
  return { severity: 'warning', code: 'UnlikelyUnit', message, ...suggested(meant, 'it is in seconds') };
}

/** The finding for an item of a list that is null. */
export function nullItem(name: string): Finding {
  return { code: 'NullItem', message: `an item of ${name} is null`, hint: 'remove the item or fill it in' };
}
