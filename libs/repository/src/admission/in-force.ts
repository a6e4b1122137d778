import { apiGroupOf, isJsonObject, type JsonObject, namespacedName } from '#kernel';
import type { EffectivePolicy } from '#policy';
import { isKnown } from '../documents/is-known.ts';
import type { RepositoryDocument } from '../documents/repository-reading.ts';

/**
 * The identity of a document in its controller: a policy's namespace/name; of others, which have no namespace, their
 * role, tenant, file and name: each folder may have defaults of the same name.
 */
export function identityKey(
  document: Pick<RepositoryDocument, 'role' | 'tenant' | 'namespace' | 'name' | 'file'>,
): string {
  return document.role === 'Policy'
    ? namespacedName(document)
    : `${document.role} ${document.tenant} ${document.file} ${document.name}`;
}

/** What two policies must not share: namespace, group, kind and name. The version does not matter. */
export function targetKey({ namespace, target }: Pick<EffectivePolicy, 'namespace' | 'target'>): string {
  return `${namespace} ${apiGroupOf(target.apiVersion)} ${target.kind} ${target.name}`;
}

/**
 * The target that a document names, before it is validated; undefined where it names none, or has no namespace:
 * two of one kind and name may then be in two.
 */
export function writtenTargetKey({
  value,
  namespace,
}: Pick<RepositoryDocument, 'value' | 'namespace'>): string | undefined {
  const spec = isJsonObject(value['spec']) ? value['spec'] : {};
  const target = isJsonObject(spec['scaleTargetRef']) ? spec['scaleTargetRef'] : {};
  const { apiVersion, kind, name } = target;
  if (typeof kind !== 'string' || typeof name !== 'string') return undefined;
  if (!isKnown(namespace) || !isKnown(name)) return undefined;
  return targetKey({
    namespace,
    target: { apiVersion: typeof apiVersion === 'string' ? apiVersion : '', kind, name },
  });
}

/** A document that is in force. */
export interface DocumentInForce {
  readonly source: RepositoryDocument;
  /** Of a policy: what it comes to. */
  readonly policy?: EffectivePolicy;
  /** Of a policy: the document with defaults applied. */
  readonly document?: JsonObject;
}

/** A policy of another source of the same controller. */
export interface ForeignPolicy {
  readonly source: string;
  readonly namespace: string;
  readonly name: string;
  readonly targetKey: string;
}

/** What of a source is in force. */
export interface SourceInForce {
  readonly documents: readonly DocumentInForce[];
  /** Whether any revision of the source has ever been activated. */
  readonly wasActivated: boolean;
}
