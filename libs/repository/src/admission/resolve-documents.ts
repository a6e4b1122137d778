import { isJsonObject, type JsonObject } from '#kernel';
import { type EffectivePolicy, mayBeFilled, type Problem, type ReadContext, readPolicy } from '#policy';
import type { RepositoryDocument, TenantDiagnostic } from '../documents/repository-reading.ts';
import type { TenantOptions } from '../files/repository-options.ts';
import {
  type GuardrailJudgement,
  judgeGuardrails,
  placeUnevaluated,
  unevaluatedProblem,
  type UnevaluatedRule,
} from './judge-guardrails.ts';
import { type MergedDocument, mergeDocument, nameDefaults, nameOrigin } from './merge-document.ts';
import { PolicyRules } from './policy-rules.ts';
import { tenantProblems, writtenProblems } from './tenant-limits.ts';

/** A policy as it would be in force: defaults merged, validated, within its tenant. */
export interface ResolvedPolicy {
  readonly source: RepositoryDocument;
  readonly policy: EffectivePolicy;
  /** The document with PolicyDefaults applied. */
  readonly document: JsonObject;
}

/** What a tenant's documents come to. */
export interface ResolvedSet {
  readonly policies: readonly ResolvedPolicy[];
  /** Errors: the set is invalid. */
  readonly diagnostics: readonly TenantDiagnostic[];
}

/** What documents are resolved with. */
export interface ResolveContext {
  readonly read: ReadContext;
  readonly tenant: (name: string) => TenantOptions | undefined;
  /** Between syncs: what the same document came to under the same rules. */
  readonly known?: ResolveCache;
}

/** What documents came to, by document. */
export type ResolveCache = WeakMap<RepositoryDocument, readonly KnownResolution[]>;

/** Under the rules in force, and under those of a commit that does not come in force. */
const maximumKnown = 2;

interface KnownResolution {
  readonly rules: readonly RepositoryDocument[];
  readonly resolved: Resolved;
}

/** Whether a set has no error. */
export function isValid(set: ResolvedSet): boolean {
  return !set.diagnostics.some(({ severity }) => severity === 'error');
}

/**
 * Validates one tenant's documents, with its own defaults and guardrails and the root's. The root's documents are
 * resolved with itself; what is wrong with them is reported there, once.
 */
export function resolveDocuments(
  documents: readonly RepositoryDocument[],
  root: readonly RepositoryDocument[],
  context: ResolveContext,
): ResolvedSet {
  const rules = new PolicyRules([...root, ...documents]);
  const own = rules.problems.filter(({ source }) => documents.includes(source));
  const diagnostics = own.map(({ source, problem }) => placed(source, problem));
  const isWrong = own.some(({ problem }) => problem.severity === 'error');
  const policies: ResolvedPolicy[] = [];
  const unevaluated: UnevaluatedRule[] = [];
  for (const source of documents) {
    if (source.role !== 'Policy') continue;
    const resolved = resolveOnce(source, rules, context);
    const mayLack = isWrong && rules.mayLackDefaults(source);
    diagnostics.push(...resolved.diagnostics.filter((each) => !(mayLack && isLack(each, source))));
    unevaluated.push(...resolved.unevaluated);
    if (resolved.policy !== undefined) policies.push(resolved.policy);
  }
  return { policies, diagnostics: [...diagnostics, ...placeUnevaluated(unevaluated)] };
}

/** What a policy lacks may stand in defaults that are wrong: then that is their error alone. */
function isLack({ code, path }: TenantDiagnostic, { value }: RepositoryDocument): boolean {
  return code === 'Required' && mayBeFilled(value, path);
}

interface Resolved {
  readonly policy?: ResolvedPolicy;
  readonly diagnostics: readonly TenantDiagnostic[];
  /** Errors, too, which are put together with those of other policies. */
  readonly unevaluated: readonly UnevaluatedRule[];
}

/** The same, one policy per step, to fill the cache: resolving them afterwards takes no time. */
export function* resolveInSteps(
  documents: readonly RepositoryDocument[],
  root: readonly RepositoryDocument[],
  context: ResolveContext,
): Generator<void, void, void> {
  if (context.known === undefined) return;
  const rules = new PolicyRules([...root, ...documents]);
  for (const source of documents) {
    if (source.role !== 'Policy') continue;
    resolveOnce(source, rules, context);
    yield;
  }
}

/** A document that did not change, under rules that did not change, is not validated again. */
function resolveOnce(source: RepositoryDocument, rules: PolicyRules, context: ResolveContext): Resolved {
  const known = context.known?.get(source) ?? [];
  const found = known.find((each) => isSameList(each.rules, rules.documents));
  if (found !== undefined) return found.resolved;
  const resolved = resolvePolicy(source, rules, context);
  context.known?.set(source, [{ rules: rules.documents, resolved }, ...known].slice(0, maximumKnown));
  return resolved;
}

function isSameList(one: readonly RepositoryDocument[], other: readonly RepositoryDocument[]): boolean {
  return one.length === other.length && one.every((document, index) => document === other[index]);
}

function resolvePolicy(source: RepositoryDocument, rules: PolicyRules, context: ResolveContext): Resolved {
  const selected = { namespace: source.namespace, labels: labelsOf(source) };
  const merged = mergeDocument(source, rules, selected);
  const read = readContext(source, context);
  const { policy, problems } = readPolicy(merged.document, read);
  const tenant = context.tenant(source.tenant);
  const diagnostics = [
    ...merged.conflicts.map((problem) => placed(source, problem)),
    ...nameDefaults(
      problems.filter((problem) => !isOfDefaults(problem, merged)),
      {
        source,
        merged,
        read,
      },
    ).map((problem) => placed(source, problem)),
  ];
  if (policy === undefined) {
    const written = writtenProblems(source, merged.document, tenant);
    return {
      diagnostics: [...diagnostics, ...written.map((problem) => placed(source, problem))],
      unevaluated: [],
    };
  }
  const { problems: broken, unevaluated } = judgeRules(source, policy, { rules, tenant });
  return {
    policy: { source, policy, document: merged.document },
    diagnostics: [
      ...diagnostics,
      ...broken.map((problem) => placed(source, nameOrigin(problem, merged.originOf))),
    ],
    unevaluated,
  };
}

/** A warning of a value that defaults fill in is theirs, told once. */
function isOfDefaults({ severity, path }: Problem, { originOf }: MergedDocument): boolean {
  return severity === 'warning' && originOf(path) !== undefined;
}

interface JudgingRules {
  readonly rules: PolicyRules;
  readonly tenant: TenantOptions | undefined;
}

/** What a valid policy does not satisfy: of its tenant's limits, and of the guardrails that apply to it. */
export function ruleProblems(
  source: RepositoryDocument,
  policy: EffectivePolicy,
  judging: JudgingRules,
): readonly Problem[] {
  const { problems, unevaluated } = judgeRules(source, policy, judging);
  return [...problems, ...unevaluated.map(unevaluatedProblem)];
}

function judgeRules(
  source: RepositoryDocument,
  policy: EffectivePolicy,
  { rules, tenant }: JudgingRules,
): GuardrailJudgement {
  const selected = { namespace: source.namespace, labels: labelsOf(source) };
  const guardrails = rules.guardrailsFor(source, selected);
  const { problems, unevaluated } = judgeGuardrails(source, policy, { guardrails, steps: rules.steps });
  return { problems: [...tenantProblems(policy, tenant), ...problems], unevaluated };
}

/**
 * Which PolicyDefaults fills in each value of a policy that its document leaves out, by the value's path; undefined: none
 * does. `defaults` are those of its tenant and of the root.
 */
export function findDefaultsBehind(
  source: RepositoryDocument,
  defaults: readonly RepositoryDocument[],
): MergedDocument['originOf'] {
  const selected = { namespace: source.namespace, labels: labelsOf(source) };
  return mergeDocument(source, new PolicyRules(defaults), selected).originOf;
}

function labelsOf({ value }: RepositoryDocument): Readonly<Record<string, string>> {
  const metadata = isJsonObject(value['metadata']) ? value['metadata'] : {};
  const labels = isJsonObject(metadata['labels']) ? metadata['labels'] : {};
  return Object.fromEntries(
    Object.entries(labels).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
  );
}

function readContext(source: RepositoryDocument, context: ResolveContext): ReadContext {
  const servers = context.tenant(source.tenant)?.servers;
  if (servers === undefined) return context.read;
  const { prometheusServers, recommenderHosts } = context.read;
  const allowed = new Set(servers);
  return {
    ...context.read,
    prometheusServers: prometheusServers === undefined ? allowed : prometheusServers.intersection(allowed),
    ...(recommenderHosts === undefined ? {} : { recommenderHosts: recommenderHosts.intersection(allowed) }),
  };
}

/** A problem at its place in the file that the document was read from. */
export function placed(source: RepositoryDocument, problem: Problem): TenantDiagnostic {
  return { ...problem, file: source.file, ...source.locate(problem.path), tenant: source.tenant };
}
