import type { Source } from '#contracts';
import { type Ask, RefusedError } from '../server/api-client.ts';
import { loadAll } from '../server/load-items.ts';
import { onOneLine } from '../server/one-line.ts';

/** A source as an earlier controller answers it, too: that one does not say what is not visible. */
export type SourceOfAnyRelease = Omit<Source, 'notVisibleHoldCount'> &
  Partial<Pick<Source, 'notVisibleHoldCount'>>;

/**
 * Says of which sources something waits that the caller may not see whole, and that the list of holds leaves out. Lines;
 * empty: of none.
 */
export async function notVisibleText(ask: Ask): Promise<string> {
  try {
    const sources = (await loadAll(ask, '/sources')) as readonly SourceOfAnyRelease[];
    return sources.map(lineOf).join('');
  } catch (error) {
    // The list itself was answered, and is what was asked for.
    if (error instanceof RefusedError) return '';
    throw error;
  }
}

function lineOf({ name, notVisibleHoldCount: count = 0 }: SourceOfAnyRelease): string {
  if (count === 0) return '';
  const what =
    count === 1 ? '1 hold that you may not see whole is' : `${count} holds that you may not see whole are`;
  return `plimsoll: ${what} not listed, of source ${onOneLine(name)}; plimsoll why NAMESPACE/NAME says what it does to a policy\n`;
}
