import type { Json } from '#kernel';
import { type EffectivePolicy, pathText, readPolicy, traceValues, type ValuePath } from '#policy';
import type { CommitReference } from '#reconciliation';
import { findDefaultsBehind, rootTenant } from '#repository';
import type { StoredDocument } from '../ports/revision-store.port.ts';
import { restoreDocument } from './active-policy-set.ts';
import { lineIn } from './document-lines.ts';

/** One value of a policy's effective `spec`, and where it comes from. */
export interface EffectiveValue {
  /** In the native form: `spec.behavior.scaleUp.delaySeconds`. */
  readonly path: string;
  readonly value: Json;
  readonly origin: ValueOrigin;
}

/**
 * Where a value comes from: the policy's own document, a PolicyDefaults, the default that upstream's kind has, or that of
 * a field that only Plimsoll has. A default has nothing but its kind.
 */
export interface ValueOrigin {
  readonly kind: 'Document' | 'PolicyDefaults' | 'UpstreamDefault' | 'PlimsollDefault';
  /** Whose activation brought the document into force as it is. */
  readonly commit: CommitReference | null;
  readonly file: string | null;
  /** Null: the document was put in force by a release that did not keep lines. */
  readonly line: number | null;
  /** In that document: `spec.values.interval`. */
  readonly path: string | null;
  /** As it is spelled there. */
  readonly written: Json;
}

/**
 * The values of a policy's effective `spec`, in its order. `defaults` are the PolicyDefaults that were in force beside it
 * in its source. None where this release would refuse the document.
 */
export function effectiveValues(
  stored: StoredDocument,
  defaults: readonly StoredDocument[],
): readonly EffectiveValue[] {
  const policy = policyOf(stored);
  if (policy === undefined || stored.document === null) return [];
  const { source } = restoreDocument(stored);
  const beside = defaults.filter(({ tenant }) => [stored.tenant, rootTenant].includes(tenant));
  const documents = new Map(beside.map((each) => [restoreDocument(each).source, each]));
  const defaultsBehind = findDefaultsBehind(source, [...documents.keys()]);
  return traceValues(policy, stored.document).map(({ path, value, origin }) => ({
    path: pathText(path),
    value,
    origin: origin.kind === 'Written' ? writtenIn(origin) : { kind: origin.kind, ...nowhere },
  }));

  function writtenIn({ path, value }: { readonly path: ValuePath; readonly value: Json }): ValueOrigin {
    const behind = defaultsBehind(path);
    const from = behind === undefined ? undefined : documents.get(behind);
    return from === undefined
      ? placed('Document', stored, { path, value })
      : placed('PolicyDefaults', from, { path: ['spec', 'values', ...path.slice(1)], value });
  }
}

const nowhere = { commit: null, file: null, line: null, path: null, written: null };

function policyOf({ document }: StoredDocument): EffectivePolicy | undefined {
  return document === null ? undefined : readPolicy(document).policy;
}

function placed(
  kind: 'Document' | 'PolicyDefaults',
  document: StoredDocument,
  { path, value }: { readonly path: ValuePath; readonly value: Json },
): ValueOrigin {
  const { commit, file } = document;
  return { kind, commit, file, line: lineIn(document, path), path: pathText(path), written: value };
}
