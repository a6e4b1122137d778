import type { JsonObject } from '#kernel';

import type { EffectivePolicy } from '../model/effective-policy.ts';
import type { RepositoryDocument } from '../repository/repository-reading.ts';

/** The identity of a document in its controller: a policy's namespace/name; of others their role, tenant and name. */
export function identityKey(
  document: Pick<RepositoryDocument, 'role' | 'tenant' | 'namespace' | 'name'>,
): string {
  return document.role === 'Policy'
    ? `${document.namespace}/${document.name}`
    : `${document.role} ${document.tenant} ${document.name}`;
}

/** What two policies must not share: namespace, group, kind and name. The version does not matter. */
export function targetKey({ namespace, target }: Pick<EffectivePolicy, 'namespace' | 'target'>): string {
  const slash = target.apiVersion.indexOf('/');
  const group = slash === -1 ? '' : target.apiVersion.slice(0, slash);
  return `${namespace} ${group} ${target.kind} ${target.name}`;
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
