import { isJsonObject, namespacedName, runSteps } from '#kernel';
import type { Problem } from '#policy';
import { isKnown } from '../documents/is-known.ts';
import type { RepositoryDocument, TenantDiagnostic } from '../documents/repository-reading.ts';
import {
  type DocumentInForce,
  type ForeignPolicy,
  identityKey,
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

/** What of a set cannot be in force together: one error per cause and tenant, which names all places. */
export interface Conflicts {
  /** Newcomers to a name or a target that is taken: each is an error of the newcomer's tenant. */
  readonly withInForce: readonly TenantDiagnostic[];
  /** Where none is active: an error of each tenant that has one. */
  readonly amongNewcomers: readonly TenantDiagnostic[];
}

/** Finds policies of one name, or on one target. One that is active has no conflict: the newcomer has it. */
export function findConflicts(input: ConflictInput): Conflicts {
  return runSteps(findConflictsInSteps(input));
}

/** The same, one name or target per step. */
export function* findConflictsInSteps(input: ConflictInput): Generator<void, Conflicts, void> {
  const withInForce: TenantDiagnostic[] = [];
  const amongNewcomers: TenantDiagnostic[] = [];
  for (const identity of identities) {
    const foreign = new Map(input.foreign.map((policy) => [identity.ofForeign(policy), policy]));
    const incumbents = incumbentsOf(input.inForce, identity);
    yield;
    const byKey = Map.groupBy(input.policies, identity.ofDocument);
    for (const [key, same] of byKey) {
      yield;
      if (key === undefined) continue;
      const incumbent = incumbentAmong(same, incumbents.get(key));
      const newcomers = same.filter((document) => document !== incumbent);
      const other = foreign.get(key);
      if (other !== undefined) {
        const { source } = other;
        const taken = { name: namespacedName(other), place: `source ${source}`, source };
        withInForce.push(...identity.conflicts(newcomers, taken));
      } else if (incumbent !== undefined) {
        withInForce.push(
          ...identity.conflicts(newcomers, { name: nameOf(incumbent), place: placeOf(incumbent) }),
        );
      } else if (same.length > 1) {
        amongNewcomers.push(...identity.conflicts(same));
      }
    }
  }
  return { withInForce, amongNewcomers };
}

/** The policy that has a name or target already. */
interface Taken {
  readonly name: string;
  readonly place: string;
  /** That has it, where it is another one. */
  readonly source?: string;
}

interface Identity {
  readonly ofDocument: (document: RepositoryDocument) => string | undefined;
  readonly ofIncumbent: (active: Required<Pick<DocumentInForce, 'source' | 'policy'>>) => string;
  readonly ofForeign: (policy: ForeignPolicy) => string;
  /** The errors of newcomers that share it, with one that has it or with each other. */
  readonly conflicts: (
    newcomers: readonly RepositoryDocument[],
    taken?: Taken,
  ) => readonly TenantDiagnostic[];
}

const identities: readonly Identity[] = [
  {
    // A document without a name or a namespace has an error of its own.
    ofDocument: (document) =>
      isKnown(document.name) && isKnown(document.namespace) ? identityKey(document) : undefined,
    ofIncumbent: ({ source }) => identityKey(source),
    ofForeign: namespacedName,
    conflicts: nameConflicts,
  },
  {
    ofDocument: writtenTargetKey,
    ofIncumbent: ({ policy }) => targetKey(policy),
    ofForeign: (policy) => policy.targetKey,
    conflicts: targetConflicts,
  },
];

function nameConflicts(newcomers: readonly RepositoryDocument[], taken?: Taken): readonly TenantDiagnostic[] {
  return reported(newcomers, taken).map((document) => {
    const others = newcomers.filter((each) => each !== document);
    const places = taken === undefined ? others.map(placeOf) : [taken.place];
    return conflict(document, others, {
      severity: 'error',
      code: 'DuplicateName',
      message: `policy ${nameOf(document)} (${targetText(document)}) is also at ${places.join(', ')}${activeText(taken)}`,
      path: ['metadata', 'name'],
      hint: `a name has one policy: delete or rename one of them${leavingText(taken)}`,
    });
  });
}

/** Policies of one name are one cause, and are grouped by it. */
function targetConflicts(
  newcomers: readonly RepositoryDocument[],
  taken?: Taken,
): readonly TenantDiagnostic[] {
  const named = [...Map.groupBy(newcomers, nameOf).values()].flatMap(([first]) => first ?? []);
  const ofOtherName = named.filter((document) => nameOf(document) !== taken?.name);
  if (taken === undefined && named.length < 2) return [];
  return reported(ofOtherName, taken).map((document) => {
    const others = named.filter((each) => each !== document);
    const places =
      taken === undefined
        ? others.map((each) => `${nameOf(each)} at ${placeOf(each)}`)
        : [`${taken.name} at ${taken.place}`];
    return conflict(document, others, {
      severity: 'error',
      code: 'DuplicateTarget',
      message: `${targetText(document)} has policy ${nameOf(document)} and ${places.join(', ')}${activeText(taken)}`,
      path: ['spec', 'scaleTargetRef'],
      hint: `a target has one policy: delete one of them${leavingText(taken)}`,
    });
  });
}

function conflict(
  document: RepositoryDocument,
  others: readonly RepositoryDocument[],
  problem: Problem,
): TenantDiagnostic {
  const related = others.map((each) => ({ file: each.file, ...each.locate(problem.path) }));
  return { ...placed(document, problem), ...(related.length > 0 && { related }) };
}

/** Those that have an error: each newcomer to what is taken, else the last of each tenant, which is likely the copy. */
function reported(
  newcomers: readonly RepositoryDocument[],
  taken: Taken | undefined,
): readonly RepositoryDocument[] {
  if (taken !== undefined) return newcomers;
  const byTenant = Map.groupBy(newcomers, ({ tenant }) => tenant);
  return [...byTenant.values()].flatMap((documents) => documents.slice(-1));
}

function activeText(taken: Taken | undefined): string {
  return taken === undefined ? '' : ', which is active';
}

/** The former name of a source that was renamed, say, which keeps its policies until somebody approves that it leaves. */
function leavingText({ source }: Partial<Taken> = {}): string {
  return source === undefined ? '' : `; where source ${source} is to leave, approve its hold`;
}

function nameOf({ namespace, name }: RepositoryDocument): string {
  return namespacedName({ namespace, name });
}

/** `Deployment web`, as the document writes it. */
function targetText({ value }: RepositoryDocument): string {
  const spec = isJsonObject(value['spec']) ? value['spec'] : {};
  const { kind, name } = isJsonObject(spec['scaleTargetRef']) ? spec['scaleTargetRef'] : {};
  return `${typeof kind === 'string' ? kind : 'target'} ${typeof name === 'string' ? name : '?'}`;
}

function incumbentsOf(
  inForce: readonly DocumentInForce[],
  { ofIncumbent }: Identity,
): ReadonlyMap<string, RepositoryDocument> {
  return new Map(
    inForce.flatMap(({ source, policy }) =>
      policy === undefined ? [] : [[ofIncumbent({ source, policy }), source] as const],
    ),
  );
}

/** The document that is the one in force: of its tenant, and where there are several of its name and then its file. */
function incumbentAmong(
  same: readonly RepositoryDocument[],
  active: RepositoryDocument | undefined,
): RepositoryDocument | undefined {
  if (active === undefined) return undefined;
  const [first, ...others] = same
    .filter(({ tenant }) => tenant === active.tenant)
    .toSorted((a, b) => likeness(b, active) - likeness(a, active));
  const [second] = others;
  const isClear =
    first !== undefined && (second === undefined || likeness(first, active) > likeness(second, active));
  return isClear ? first : undefined;
}

function likeness(document: RepositoryDocument, active: RepositoryDocument): number {
  const isNamed = identityKey(document) === identityKey(active);
  const isAtPlace = document.file === active.file;
  const isOnLine = isAtPlace && document.position.line === active.position.line;
  return (isNamed ? 4 : 0) + (isAtPlace ? 2 : 0) + (isOnLine ? 1 : 0);
}

function placeOf({ file, position }: RepositoryDocument): string {
  return `${file}:${position.line}:${position.column}`;
}
