import { decide, type Decision, decisionSchemas, parseDecideInput } from '#decision';
import { isJsonObject, type JsonObject, namespacedName, ok } from '#kernel';
import { type EffectivePolicy, type PolicyTest, type PolicyTestCase, readPolicyTest, suggest } from '#policy';
import type { RepositoryDocument } from '#repository';
import type { ResolvedTree } from '../repository/resolve-tree.ts';
import { findUnknownField } from './find-unknown-field.ts';
import { matchExpected } from './match-expected.ts';

/** A place in a file of the tree. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong, at the line that says what was wanted. */
export interface TestFailure extends Place {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly want?: unknown;
  readonly got?: unknown;
}

/** What a case came to: passed where nothing is wrong. */
export interface CaseResult {
  readonly name: string;
  readonly failures: readonly TestFailure[];
  /** Absent where nothing could be decided. */
  readonly decision?: Decision;
}

/** What a `PolicyTest` document came to. */
export interface TestResult extends Place {
  readonly name: string;
  /** `shop/checkout`; empty where the document does not say. */
  readonly policy: string;
  /** What is wrong with the document, or with the policy that it names: no case was run. */
  readonly failures: readonly TestFailure[];
  readonly cases: readonly CaseResult[];
}

/** Runs one `PolicyTest` document against the policies of its tree. */
export function runPolicyTest(document: RepositoryDocument, tree: ResolvedTree): TestResult {
  const place = { file: document.file, ...document.position };
  const { value: test, problems } = readPolicyTest(document.value);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (test === undefined) {
    return {
      ...place,
      name: document.name,
      policy: '',
      failures: errors.map(({ path, message }) => failureAt(document, path, message)),
      cases: [],
    };
  }
  const key = namespacedName(test.policy);
  const common = { ...place, name: test.name, policy: key };
  const policy = tree.policies.get(key)?.policy;
  if (policy === undefined) {
    const message = whyNoPolicy(key, tree);
    return { ...common, failures: [failureAt(document, ['spec', 'policy'], message)], cases: [] };
  }
  const cases = test.cases.map((_, index) => runCase({ document, test, policy }, index));
  return { ...common, failures: [], cases };
}

function failureAt(
  document: RepositoryDocument,
  path: readonly (string | number)[],
  message: string,
): TestFailure {
  return { file: document.file, ...document.locate(path), path, message };
}

function whyNoPolicy(key: string, { policies, invalid }: ResolvedTree): string {
  const found = invalid.get(key);
  if (found !== undefined) {
    const { line, column } = found.position;
    return `policy ${key} (${found.file}:${line}:${column}) is invalid; plimsoll validate says why`;
  }
  const meant = suggest(key, policies.keys());
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `the tree has no policy ${key}${hint}`;
}

interface Subject {
  readonly document: RepositoryDocument;
  readonly test: PolicyTest;
  readonly policy: EffectivePolicy;
}

function runCase({ document, test, policy }: Subject, index: number): CaseResult {
  const given = test.cases[index];
  if (given === undefined) return { name: '', failures: [] };
  const at = ['spec', 'cases', index];
  const decided = decideCase(test, given, policy);
  if ('message' in decided) {
    const path = decided.path[0] === 'settings' ? ['spec', ...decided.path] : [...at, ...decided.path];
    return { name: given.name, failures: [failureAt(document, path, decided.message)] };
  }
  const failures = matchExpected(given.expect, asJson(decided)).map(({ path, message, ...values }) => ({
    ...failureAt(document, [...at, 'expect', ...path], message),
    ...values,
  }));
  return { name: given.name, failures, decision: decided };
}

const inputSchema = decisionSchemas['decide-input'] ?? {};

/** Decides on a case's observation, or says where the input is wrong. */
function decideCase(
  { settings }: PolicyTest,
  { observation, memory }: PolicyTestCase,
  policy: EffectivePolicy,
): Decision | { readonly message: string; readonly path: readonly (string | number)[] } {
  const unknown = findUnknownField({ settings, observation, memory }, inputSchema);
  if (unknown !== undefined) return unknown;
  const input = parseDecideInput({ policy: {}, settings, observation, memory }, () => ok(policy));
  if (input.ok) return decide(input.value).decision;
  const { code, message, path } = input.error;
  return { message: `${code}: ${message}`, path: pointerParts(path) };
}

/** The keys of a JSON Pointer; a list's are numbers. */
function pointerParts(pointer: string): readonly (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** A decision as it is printed and stored. */
function asJson(decision: Decision): JsonObject {
  const value: unknown = JSON.parse(JSON.stringify(decision));
  return isJsonObject(value) ? value : {};
}
