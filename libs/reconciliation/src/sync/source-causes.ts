import { canonicalJson, type JsonObject } from '#kernel';
import type { HoldCause } from '#policy';

import type { Brakes } from './brakes.ts';
import type { GitRepositoryPort } from './ports/git.port.ts';
import type { SourceState } from './ports/revision-store.port.ts';
import type { VerifyOptions } from './source-configuration.ts';

/** What a commit is looked at with before it is read. */
export interface SourceCausesInput {
  readonly repository: GitRepositoryPort;
  readonly state: SourceState;
  readonly brakes: Brakes;
  readonly commit: string;
  readonly verify: VerifyOptions | undefined;
}

/** More commits than this since the verified one are not checked one by one: it holds instead. */
const maximumVerifiedCommits = 1_000;

/** Why a commit holds its whole source, whatever is in it. */
export async function loadSourceCauses(input: SourceCausesInput): Promise<readonly HoldCause[]> {
  const { pin } = input.brakes;
  if (pin !== null)
    return [
      {
        code: 'RolledBack',
        message: `rolled back to ${pin.commit} by ${pin.by}: ${pin.reason}`,
        items: [pin.commit],
      },
    ];
  return [...(await ancestryCauses(input)), ...(await signatureCauses(input))];
}

/** A force-push, an unrelated ref, or an ancestry that nobody can establish. */
async function ancestryCauses({
  repository,
  state,
  commit,
}: SourceCausesInput): Promise<readonly HoldCause[]> {
  const active = state.commit?.hash;
  if (active === undefined || active === commit) return [];
  const ancestry = await repository.loadAncestry(active, commit);
  if (ancestry === 'Descendant') return [];
  const why = ancestry === 'Unknown' ? 'cannot be shown to descend' : 'does not descend';
  return [
    {
      code: 'NotDescendant',
      message: `${commit} ${why} from ${active}, which is in force`,
      items: [active, commit],
    },
  ];
}

async function signatureCauses(input: SourceCausesInput): Promise<readonly HoldCause[]> {
  const { repository, brakes, verify } = input;
  if (verify === undefined) return [];
  const unverified: string[] = [];
  const reasons: string[] = [];
  for (const hash of await commitsToVerify(input, verify)) {
    if (brakes.acceptedCommits.includes(hash)) continue;
    const signature = await repository.loadSignature(hash, verify.trusted);
    if (signature.status === 'Verified') continue;
    unverified.push(hash);
    reasons.push(signature.status === 'Unsigned' ? 'unsigned' : signature.reason);
  }
  if (unverified.length === 0) return [];
  return [
    {
      code: 'Unverified',
      message: `${unverified[0] ?? ''} is not verified: ${reasons[0] ?? ''}`,
      items: unverified,
    },
  ];
}

/** HEAD alone at the first activation; after a force-push, from the merge base. */
async function commitsToVerify(
  { repository, brakes, commit }: SourceCausesInput,
  verify: VerifyOptions,
): Promise<readonly string[]> {
  if (verify.line === 'Head' || brakes.verified === null) return [commit];
  const range = { since: brakes.verified, head: commit, line: verify.line };
  const hashes = await repository.loadRange(range, maximumVerifiedCommits);
  return hashes.length === 0 ? [commit] : hashes;
}

/** A configuration other than the one in force, by which policies leave. */
export function configurationCauses(
  state: SourceState,
  configuration: JsonObject,
  leaving: readonly string[],
): readonly HoldCause[] {
  const isFirst = state.commit === null;
  if (isFirst || leaving.length === 0 || canonicalJson(state.configuration) === canonicalJson(configuration))
    return [];
  return [
    {
      code: 'SourceChanged',
      message: `${leaving.length} policies would leave by the changed configuration of the source`,
      items: leaving.toSorted(),
    },
  ];
}
