import type { CommitReference, PolicyKey } from '#ledger';
import { type EffectivePolicy, parsePolicyJson } from '#policy';
import type { ActivePoliciesPort } from '#reconciliation';
import type { SourceOperations } from '../../git-sync/source-operations.ts';
import { type ActiveIndex, indexOfActive } from '../access/active-index.ts';

/** A policy, and the commit that brought it. */
export interface KnownPolicy {
  readonly policy: EffectivePolicy;
  readonly commit: CommitReference;
}

/** A policy that leaves with all others, or has left with them. */
export interface LeaveCandidate {
  /** `shop/checkout` */
  readonly key: string;
  readonly policy: PolicyKey;
  readonly source: string;
  /** Null: it is released already, and stands in the store. */
  readonly active: KnownPolicy | null;
}

/** A policy that leaves, and as it was in force last; null: its document is not stored any more. */
export interface LoadedCandidate {
  readonly candidate: LeaveCandidate;
  readonly left: KnownPolicy | null;
}

/** As many as one statement reads. */
const policiesPerRead = 100;

/** Which policies leave. */
export class LeaveCandidates {
  readonly #sources: Pick<SourceOperations, 'listSources' | 'listVersions'>;
  readonly #activePolicies: ActivePoliciesPort;

  constructor(ports: {
    readonly sources: Pick<SourceOperations, 'listSources' | 'listVersions'>;
    readonly activePolicies: ActivePoliciesPort;
  }) {
    this.#sources = ports.sources;
    this.#activePolicies = ports.activePolicies;
  }

  /** By name. One that was released by its own name stays with who released it; one that came back is in force. */
  list(): readonly LeaveCandidate[] {
    const found = new Map<string, LeaveCandidate>();
    for (const { name, released } of this.#sources.listSources()) {
      for (const { policy: key, leavesTo } of released) {
        const [namespace = '', policy = ''] = key.split('/');
        if (leavesTo !== undefined)
          found.set(key, { key, policy: { namespace, name: policy }, source: name, active: null });
      }
    }
    const inForce = activeCandidates(indexOfActive(this.#activePolicies.listActivePolicies()));
    for (const { key } of inForce) found.delete(key);
    if (found.size === 0) return inForce;
    return [...inForce, ...found.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** With the policies: of those that are released already, as they were in force last. */
  async load(candidates: readonly LeaveCandidate[]): Promise<readonly LoadedCandidate[]> {
    const stored = candidates.filter(({ active }) => active === null);
    const lasts = new Map<string, KnownPolicy | null>();
    for (let start = 0; start < stored.length; start += policiesPerRead) {
      const part = stored.slice(start, start + policiesPerRead);
      const lists = await this.#sources.listVersions(part.map(({ policy }) => ({ ...policy, limit: 1 })));
      for (const [index, { key }] of part.entries()) lasts.set(key, knownPolicy(lists[index]?.[0]?.version));
    }
    return candidates.map((candidate) => ({
      candidate,
      left: candidate.active ?? lasts.get(candidate.key) ?? null,
    }));
  }
}

const candidatesInForce = new WeakMap<ActiveIndex, readonly LeaveCandidate[]>();

/** By name, made once per list of policies. */
function activeCandidates(index: ActiveIndex): readonly LeaveCandidate[] {
  const known = candidatesInForce.get(index);
  if (known !== undefined) return known;
  const made = index.sorted.map(({ key, active: { policy, origin } }) => {
    const { namespace, name } = policy;
    const active = { policy, commit: origin.commit };
    return { key, policy: { namespace, name }, source: origin.source, active };
  });
  candidatesInForce.set(index, made);
  return made;
}

type Version = Awaited<ReturnType<SourceOperations['listVersions']>>[number][number]['version'];

function knownPolicy(version: Version | undefined): KnownPolicy | null {
  const document = version?.document ?? null;
  if (version === undefined || document === null) return null;
  const parsed = parsePolicyJson(document);
  return parsed.ok ? { policy: parsed.value, commit: version.commit } : null;
}
