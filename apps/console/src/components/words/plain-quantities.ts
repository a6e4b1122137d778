/** Of Kubernetes' quantities in milli-units, those of a whole unit or more: `30919m`. */
const thousandths = /(?<![\w.-])(\d{4,})m(?![\w/])/g;

/** A sentence with quantities as a person writes them: `30919m` is `30.9`, `1500m` is `1.5`; below one they stay as they are. */
export function plainQuantities(text: string): string {
  return text.replace(thousandths, (_, digits: string) => plainNumber(Number(digits) / 1_000));
}

/** To three digits, or to the whole number where that is more. */
function plainNumber(value: number): string {
  return String(value >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}
