const quantity = /^([+-]?\d+(?:\.\d+)?)(n|u|m|k|Ki|M|Mi|G|Gi|T|Ti)?$/;
const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** A quantity's text in thousandths, unrounded: `100m` → 100, `2` → 2000; undefined for anything else. */
export function parseMilli(text: string | undefined): number | undefined {
  const match = quantity.exec(text ?? '');
  if (match === null) return undefined;
  const [, number, suffix] = match;
  return Number(number) * (suffix === undefined ? 1 : (factors[suffix] ?? 1)) * 1000;
}

/** A number as a quantity in thousandths, rounded to the nearest: 0.15 → `150m`, 2 → `2`. */
export function formatMilli(value: number): string {
  const milli = Math.round(value * 1000);
  return milli % 1000 === 0 ? String(milli / 1000) : `${milli}m`;
}
