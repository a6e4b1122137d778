import { isJsonObject, type JsonObject } from '#kernel';

/** How many entries a line of an export stands for, which retention has deleted; null: it is another line. */
export function expiredEntries({ expired, stream }: JsonObject): number | null {
  if (!isJsonObject(expired) || typeof stream !== 'string') return null;
  const last = Number(expired['last']);
  return Number.isSafeInteger(last) && last > 0 ? last : null;
}
