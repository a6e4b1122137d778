import type { PolicyVersion } from '#contracts';
import type { Ask } from '../server/api-client.ts';
import { onOneLine } from '../server/one-line.ts';
import { removalText } from './versions-form.ts';

/** A line that says how and when a policy left, and by whom; empty: it is in force, or was never. */
export async function departureText(ask: Ask, path: string, policy: string): Promise<string> {
  const newest = await newestVersion(ask, path);
  if (newest === undefined || newest.departure === null || newest.validTo === null) return '';
  const removal = removalText(newest);
  const by = removal === null ? '' : ` by ${removal}`;
  return `${onOneLine(`plimsoll: ${policy} has left: ${newest.departure} at ${newest.validTo}${by}`)}\n`;
}

/** Whether there is, or was, such a policy. @throws RefusedError where there never was */
export async function requireKnown(ask: Ask, path: string): Promise<void> {
  // What says so of the present and of the past: of one that has left, the policy itself would be unknown, too.
  if ((await newestVersion(ask, path)) === undefined) await ask({ path: `${path}/blame` });
}

async function newestVersion(ask: Ask, path: string): Promise<PolicyVersion | undefined> {
  const query = { first: '1' };
  const { items } = await ask<{ readonly items: readonly PolicyVersion[] }>({
    path: `${path}/versions`,
    query,
  });
  return items[0];
}
