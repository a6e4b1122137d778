import { canonicalJson, type Json } from '#kernel';

/** Every verifier has to judge a text alike, whatever its stack: what nests deeper is no canonical JSON. */
const maximumDepth = 1_000;

/** What a text of canonical JSON stands for; `null` for any other text, and for one that nests too deep. */
export function parseCanonicalJson(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return !isNestedTooDeep(value) && canonicalJson(value) === text ? value : null;
  } catch {
    return null;
  }
}

/** Whether a value has more than a thousand lists and objects within each other. */
export function isNestedTooDeep(value: Json | undefined, levels = maximumDepth): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const item of Object.values(value)) if (isNestedTooDeep(item, levels - 1)) return true;
  return false;
}
