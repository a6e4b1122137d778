import type { Hold, Revision } from '#contracts';
import { UnusableError } from '../unusable-error.ts';
import { loadAll } from './get-list.ts';
import type { Question } from './question.ts';

type Ask = Parameters<Question<unknown>['load']>[0];

/** What tells a beginning from a whole name, and from what the controller is to refuse. */
const beginning = /^[0-9a-f]{7,39}$/;
const maximumNamed = 10;

/**
 * The whole hash of a revision of a source, by its first digits, at least seven.
 *
 * @throws UnusableError where none of the latest revisions begins so, or several do
 */
export async function wholeCommit(ask: Ask, source: string, given: string): Promise<string> {
  if (!beginning.test(given)) return given;
  const revisions = await loadAll(ask, `/sources/${encodeURIComponent(source)}/revisions`);
  const hashes = (revisions as readonly Revision[]).map(({ commit }) => commit.hash);
  const cure = `"plimsoll get revisions --source ${source}" has the latest; an older one wants its whole hash`;
  return theOne(hashes, given, { what: `revision of ${source}`, cure });
}

/**
 * The whole digest of a hold of a source, likewise.
 *
 * @throws UnusableError where no hold begins so, or several do
 */
export async function wholeDigest(ask: Ask, source: string, given: string): Promise<string> {
  if (!beginning.test(given)) return given;
  const holds = (await loadAll(ask, '/holds')) as readonly Hold[];
  const digests = holds.filter((hold) => hold.source === source).map(({ digest }) => digest);
  return theOne(digests, given, { what: `hold of ${source}`, cure: '"plimsoll get holds" has them' });
}

function theOne(
  names: readonly string[],
  given: string,
  { what, cure }: { readonly what: string; readonly cure: string },
): string {
  const found = [...new Set(names)].filter((name) => name.startsWith(given));
  const [only, ...others] = found;
  if (only === undefined) throw new UnusableError(`no ${what} begins with ${given}: ${cure}`);
  if (others.length === 0) return only;
  const named = found.slice(0, maximumNamed).join(', ');
  throw new UnusableError(`more than one ${what} begins with ${given}: ${named}`);
}
