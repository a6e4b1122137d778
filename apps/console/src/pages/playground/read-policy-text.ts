import { isJsonObject, type Json, type JsonObject } from '#kernel';
import {
  type Diagnostic,
  type EffectivePolicy,
  locateProblems,
  mergeDefaults,
  plainJson,
  type PolicyDefaults,
  type PolicyFileDocument,
  readPolicyDefaults,
  readPolicyDocument,
  readPolicyFile,
  selectorKeys,
  selectsPolicy,
} from '#policy';

/** A policy as it was typed, read by the parser of the controller. */
export interface PolicyText {
  /** Undefined: nothing can be decided with it; the diagnostics say why. */
  readonly policy: EffectivePolicy | undefined;
  /** The document as JSON, with the defaults that are beside it; undefined with the policy. */
  readonly document: Json | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const file = 'policy.yaml';

/** Reads the first policy of a text, with the `PolicyDefaults` in it, and says everything that is wrong with them. */
export function readPolicyText(text: string): PolicyText {
  const read = readPolicyFile({ file, bytes: new TextEncoder().encode(text), isInForce: true });
  const first = read.documents.find(({ identity }) => identity.kind === 'policy');
  if (first === undefined) {
    const found = [...read.diagnostics, ...read.documents.flatMap(({ diagnostics }) => diagnostics)];
    return { policy: undefined, document: undefined, diagnostics: found.length > 0 ? found : [noPolicy] };
  }
  const defaults = readDefaults(read.documents);
  const merged = withDefaults(first, defaults.values);
  const { policy, diagnostics } = readPolicyDocument(merged.document);
  const all = [...read.diagnostics, ...defaults.diagnostics, ...merged.conflicts, ...diagnostics];
  const isWrong = [...read.diagnostics, ...defaults.diagnostics, ...merged.conflicts].length > 0;
  return policy === undefined || isWrong
    ? { policy: undefined, document: undefined, diagnostics: all }
    : { policy, document: plainJson(merged.document.value), diagnostics: all };
}

interface ReadDefaults {
  readonly values: readonly PolicyDefaults[];
  readonly diagnostics: readonly Diagnostic[];
}

function readDefaults(documents: readonly PolicyFileDocument[]): ReadDefaults {
  const found = documents
    .filter(({ identity }) => identity.kind === 'support' && identity.supportKind === 'PolicyDefaults')
    .map((document) => ({ document, ...readPolicyDefaults(document.value) }));
  return {
    values: found.flatMap(({ value }) => value ?? []),
    diagnostics: found.flatMap(({ document, problems }) => [
      ...document.diagnostics,
      ...locateProblems(document, problems),
    ]),
  };
}

interface MergedDocument {
  readonly document: PolicyFileDocument;
  readonly conflicts: readonly Diagnostic[];
}

/** As in a repository where all of the text is in one folder: those of the folder come before those with a selector. */
function withDefaults(document: PolicyFileDocument, defaults: readonly PolicyDefaults[]): MergedDocument {
  const value = plainJson(document.value);
  const spec = isJsonObject(value) ? value['spec'] : undefined;
  const isOurs = document.identity.kind === 'policy' && document.identity.form === 'AutoscalingPolicy';
  if (defaults.length === 0 || !isOurs || !isJsonObject(value) || !isJsonObject(spec))
    return { document, conflicts: [] };
  const selected = { namespace: document.namespace ?? '', labels: labelsOf(value) };
  const applicable = defaults.filter(
    ({ selector }) => selector === undefined || selectsPolicy(selector, selected),
  );
  const byRank = Map.groupBy(applicable, ({ selector }) =>
    selector === undefined ? Infinity : selectorKeys(selector),
  );
  const ranks = [...byRank.keys()].sort((one, other) => other - one);
  const layers = ranks.map((rank) =>
    (byRank.get(rank) ?? []).map(({ name, values }) => ({ source: name, values })),
  );
  const merged = mergeDefaults(spec, layers);
  const conflicts = merged.conflicts.map(({ path, sources }) => ({
    severity: 'error' as const,
    code: 'ConflictingDefaults' as const,
    message: `${sources.join(' and ')} set spec.${path.join('.')} differently, with one rank`,
    path: ['spec', ...path],
    hint: 'set it in the policy, or in one of the two',
  }));
  return {
    document: { ...document, value: { ...value, spec: merged.spec } },
    conflicts: locateProblems(document, conflicts),
  };
}

function labelsOf(value: JsonObject): Readonly<Record<string, string>> {
  const metadata = isJsonObject(value['metadata']) ? value['metadata'] : {};
  const labels = isJsonObject(metadata['labels']) ? metadata['labels'] : {};
  return Object.fromEntries(
    Object.entries(labels).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
  );
}

const noPolicy: Diagnostic = {
  severity: 'error',
  code: 'UnknownKind',
  message: 'there is no policy here',
  hint: 'begin with apiVersion: plimsoll.dev/v1alpha1 and kind: AutoscalingPolicy',
  path: [],
  file,
  line: 1,
  column: 1,
};
