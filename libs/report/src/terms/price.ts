/** What a replica costs an hour. */
export interface Price {
  /** Millionths of the currency. */
  readonly micros: bigint;
  /** As it was given. */
  readonly text: string;
  readonly currency: string;
}

const priceForm = /^(\d{1,9})(?:\.(\d{1,6}))?$/;
const currencyForm = /^[A-Z]{3}$/;

/** Reads a price; `null` where it is no decimal of at most six places, or the currency no code of three letters. */
export function parsePrice(text: string, currency: string): Price | null {
  const [, whole, fraction = ''] = priceForm.exec(text) ?? [];
  if (whole === undefined || !currencyForm.test(currency)) return null;
  return { micros: BigInt(`${whole}${fraction.padEnd(6, '0')}`), text, currency };
}

const millisecondsPerHour = 3_600_000n;

/** Replica-hours to three places, rounded half up: `12.345`. */
export function hoursText(milliseconds: bigint): string {
  return decimalText(roundedQuotient(milliseconds * 1_000n, millisecondsPerHour), 3);
}

/** The cost to two places, rounded half up. */
export function costText(replicaMilliseconds: bigint, { micros }: Price): string {
  return decimalText(roundedQuotient(replicaMilliseconds * micros, millisecondsPerHour * 10_000n), 2);
}

function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor / 2n) / divisor;
}

function decimalText(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
