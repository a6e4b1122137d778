const numbered = new Map<string, string>();

/** Far above the number of statements in this adapter; only SQL with a list of `?` comes in more than one length. */
const maximumRemembered = 1_000;

/** Turns each `?` into `$1`, `$2`, … */
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
