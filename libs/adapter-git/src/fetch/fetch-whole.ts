import type { FetchLimits } from '#git-sync';
import { AdapterError } from '#kernel';
import { checkedRef, objectName } from '../objects/git-ref.ts';
import { loadStored } from '../objects/object-store.ts';
import { fetchRemote } from './remote.ts';
import type { RepositoryContext } from './repository-context.ts';

/** Where what was fetched last stands. */
export const fetchedRef = 'refs/plimsoll/fetched';

/** There where a server gave no objects by name: from then on fetches bring everything that is new. */
export const wholeRef = 'refs/plimsoll/whole';

/** A commit that no ref names can only be found by bringing what they reach. */
const everyRef: readonly string[] = [
  '+refs/heads/*:refs/plimsoll/all/heads/*',
  '+refs/tags/*:refs/plimsoll/all/tags/*',
];

/**
 * Fetches the source's ref with all that it reaches, within the limits of a fetch: what is left where a server gives
 * no objects by name.
 *
 * @throws AdapterError as the fetch does, and `RefNotFound` where a pinned commit is reached by no branch or tag.
 */
export async function fetchWhole(context: RepositoryContext, limits: FetchLimits): Promise<void> {
  const { runner, access, ref, memory } = context;
  const isPinned = objectName.test(ref);
  await fetchRemote(runner, access, {
    what: `whole fetch of ${ref}`,
    filter: 'whole',
    refspecs: isPinned ? everyRef : [`+${checkedRef(ref)}:${fetchedRef}`],
    limits,
  });
  if (isPinned) await pin(context);
  await runner.bytes({ what: 'remember the whole fetch', args: ['update-ref', wholeRef, fetchedRef] });
  memory.filter = 'all';
}

async function pin({ runner, ref }: RepositoryContext): Promise<void> {
  if (!(await loadStored(runner, [ref])).has(ref)) throw unreachable(ref);
  await runner.bytes({ what: `pin ${ref}`, args: ['update-ref', fetchedRef, ref] });
}

function unreachable(ref: string): AdapterError {
  return new AdapterError({
    code: 'RefNotFound',
    message:
      `no branch or tag reaches ${ref}, and the server gives nothing else by name: ` +
      'name a branch or tag, or set uploadpack.allowAnySHA1InWant at the server',
    retryable: true,
  });
}
