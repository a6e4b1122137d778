import { namespacedName } from '#kernel';
import type { RepositoryDocument, TenantDiagnostic } from '../documents/repository-reading.ts';
import {
  type DocumentInForce,
  type ForeignPolicy,
  identityKey,
  isKnown,
  targetKey,
  writtenTargetKey,
} from './in-force.ts';
import { placed } from './resolve-documents.ts';

/** What a set of policies is compared with. */
export interface ConflictInput {
  /** The documents of policies that would be in force together, or that a commit has together. */
  readonly policies: readonly RepositoryDocument[];
  /** What the source has in force. */
  readonly inForce: readonly DocumentInForce[];
  /** The policies of other sources, which are in force already. */
  readonly foreign: readonly ForeignPolicy[];
}

/** What of a set cannot be in force together. */
export interface Conflicts {
  /** Newcomers to a name or a target that somebody has in force: each is an error of the newcomer's tenant. */
  readonly withInForce: readonly TenantDiagnostic[];
  /** Where nobody was in force: an error of each. */
  readonly amongNewcomers: readonly TenantDiagnostic[];
}

/** Two policies of one name, or on one target. Who is in force already has no conflict: the newcomer has it. */
export function findConflicts(input: ConflictInput): Conflicts {
  const withInForce: TenantDiagnostic[] = [];
  const amongNewcomers: TenantDiagnostic[] = [];
  for (const identity of identities) {
    const foreign = new Map(input.foreign.map((policy) => [identity.ofForeign(policy), policy]));
    const holders = holdersOf(input.inForce, identity);
    for (const [key, same] of Map.groupBy(input.policies, identity.ofDocument)) {
      if (key === undefined) continue;
      const holder = holderAmong(same, holders.get(key));
      const newcomers = same.filter((document) => document !== holder);
      const other = foreign.get(key);
      if (other !== undefined) {
        withInForce.push(...newcomers.map((document) => foreignConflict(document, other, identity)));
      } else if (holder !== undefined) {
        withInForce.push(...newcomers.map((document) => conflict(document, identity, placeOf(holder))));
      } else if (same.length > 1) {
        amongNewcomers.push(
          ...same.map((document) => conflict(document, identity, otherPlace(document, same))),
        );
      }
    }
  }
  return { withInForce, amongNewcomers };
}

interface Identity {
  readonly code: 'DuplicateName' | 'DuplicateTarget';
  readonly what: string;
  readonly path: readonly string[];
  readonly ofDocument: (document: RepositoryDocument) => string | undefined;
  readonly ofHolder: (held: Required<Pick<DocumentInForce, 'source' | 'policy'>>) => string;
  readonly ofForeign: (policy: ForeignPolicy) => string;
}

const identities: readonly Identity[] = [
  {
    code: 'DuplicateName',
    what: 'name',
    path: ['metadata', 'name'],
    // A document without a name or a namespace has an error of its own.
    ofDocument: (document) =>
      isKnown(document.name) && isKnown(document.namespace) ? identityKey(document) : undefined,
    ofHolder: ({ source }) => identityKey(source),
    ofForeign: namespacedName,
  },
  {
    code: 'DuplicateTarget',
    what: 'target',
    path: ['spec', 'scaleTargetRef'],
    ofDocument: writtenTargetKey,
    ofHolder: ({ policy }) => targetKey(policy),
    ofForeign: (policy) => policy.targetKey,
  },
];

function holdersOf(
  inForce: readonly DocumentInForce[],
  { ofHolder }: Identity,
): ReadonlyMap<string, RepositoryDocument> {
  return new Map(
    inForce.flatMap(({ source, policy }) =>
      policy === undefined ? [] : [[ofHolder({ source, policy }), source] as const],
    ),
  );
}

/** The document that is the one in force: of its tenant, and where there are several of its name and then its file. */
function holderAmong(
  same: readonly RepositoryDocument[],
  held: RepositoryDocument | undefined,
): RepositoryDocument | undefined {
  if (held === undefined) return undefined;
  const [first, ...others] = same
    .filter(({ tenant }) => tenant === held.tenant)
    .toSorted((a, b) => likeness(b, held) - likeness(a, held));
  const [second] = others;
  const isClear =
    first !== undefined && (second === undefined || likeness(first, held) > likeness(second, held));
  return isClear ? first : undefined;
}

function likeness(document: RepositoryDocument, held: RepositoryDocument): number {
  const isNamed = identityKey(document) === identityKey(held);
  const isAtPlace = document.file === held.file;
  const isOnLine = isAtPlace && document.position.line === held.position.line;
  return (isNamed ? 4 : 0) + (isAtPlace ? 2 : 0) + (isOnLine ? 1 : 0);
}

function otherPlace(document: RepositoryDocument, same: readonly RepositoryDocument[]): string {
  return placeOf(same.find((candidate) => candidate !== document) ?? document);
}

function placeOf({ file, position }: RepositoryDocument): string {
  return `${file}:${position.line}:${position.column}`;
}

function foreignConflict(
  document: RepositoryDocument,
  { namespace, name, source }: ForeignPolicy,
  identity: Identity,
): TenantDiagnostic {
  return conflict(document, identity, `${namespace}/${name} of source ${source}, which is in force`);
}

function conflict(
  document: RepositoryDocument,
  { code, what, path }: Identity,
  other: string,
): TenantDiagnostic {
  return placed(document, {
    severity: 'error',
    code,
    message: `policy ${namespacedName(document)} has the same ${what} as ${other}`,
    path,
    hint: 'one name and one target have one policy: delete one of them',
  });
}
