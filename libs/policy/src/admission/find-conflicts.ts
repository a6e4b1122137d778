import type { TenantDiagnostic } from '../repository/repository-reading.ts';
import { type ForeignPolicy, targetKey } from './in-force.ts';
import { placed, type ResolvedPolicy } from './resolve-documents.ts';

/** What a resulting set is compared with. */
export interface ConflictInput {
  /** The policies that would be in force together. */
  readonly policies: readonly ResolvedPolicy[];
  /** Those of other sources, which are in force already. */
  readonly foreign: readonly ForeignPolicy[];
  /** Whether this source has a policy of that name in force (`shop/checkout`) on that target. */
  readonly isInForce: (policy: ResolvedPolicy) => boolean;
}

/**
 * Two policies of one name, or on one target: an error of the newcomer's tenant, of both where neither was in force.
 * Between two that are both in force nothing is a newcomer, and nothing leaves.
 */
export function findConflicts(input: ConflictInput): readonly TenantDiagnostic[] {
  const diagnostics: TenantDiagnostic[] = [];
  for (const { keyOf, foreignKeyOf, code, what } of identities) {
    const foreign = new Map(input.foreign.map((policy) => [foreignKeyOf(policy), policy]));
    for (const [key, same] of Map.groupBy(input.policies, keyOf)) {
      const other = foreign.get(key);
      if (other !== undefined)
        diagnostics.push(...same.map((policy) => foreignConflict({ policy, other, code, what })));
      if (same.length > 1) diagnostics.push(...conflictsAmong(same, { code, what, input }));
    }
  }
  return diagnostics;
}

const identities = [
  {
    code: 'DuplicateName',
    what: 'name',
    keyOf: ({ policy }: ResolvedPolicy) => `${policy.namespace}/${policy.name}`,
    foreignKeyOf: ({ namespace, name }: ForeignPolicy) => `${namespace}/${name}`,
  },
  {
    code: 'DuplicateTarget',
    what: 'target',
    keyOf: ({ policy }: ResolvedPolicy) => targetKey(policy),
    foreignKeyOf: (policy: ForeignPolicy) => policy.targetKey,
  },
] as const;

interface ConflictKind {
  readonly code: string;
  readonly what: string;
  readonly input: ConflictInput;
}

function conflictsAmong(
  same: readonly ResolvedPolicy[],
  { code, what, input }: ConflictKind,
): readonly TenantDiagnostic[] {
  const newcomers = same.filter((policy) => !input.isInForce(policy));
  return newcomers.map((policy) => {
    const other = same.find((candidate) => candidate !== policy) ?? policy;
    const { file, position } = other.source;
    return conflict(policy, code, `the same ${what} as ${file}:${position.line}:${position.column}`);
  });
}

interface ForeignConflict {
  readonly policy: ResolvedPolicy;
  readonly other: ForeignPolicy;
  readonly code: string;
  readonly what: string;
}

function foreignConflict({ policy, other, code, what }: ForeignConflict): TenantDiagnostic {
  return conflict(
    policy,
    code,
    `the same ${what} as ${other.namespace}/${other.name} of source ${other.source}, which is in force`,
  );
}

function conflict(policy: ResolvedPolicy, code: string, why: string): TenantDiagnostic {
  const { namespace, name, target } = policy.policy;
  return placed(policy.source, {
    severity: 'error',
    code,
    message: `policy ${namespace}/${name} on ${target.kind} ${target.name} has ${why}`,
    path: code === 'DuplicateName' ? ['metadata', 'name'] : ['spec', 'scaleTargetRef'],
    hint: 'one name and one target have one policy: delete one of them',
  });
}
