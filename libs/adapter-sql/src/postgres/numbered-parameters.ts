const numbered = new Map<string, string>();

/** Stores write their SQL once, so these are all there are; a list that is written out would fill it otherwise. */
const maximumRemembered = 1_000;

/** Turns each `?` into `$1`, `$2`, …: SQL of this adapter has no other `?`. */
export function numberParameters(sql: string): string {
  const known = numbered.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql.replace(/\?/g, () => {
    count += 1;
    return `$${count}`;
  });
  if (numbered.size >= maximumRemembered) numbered.clear();
  numbered.set(sql, text);
  return text;
}
