import { stringify } from 'yaml';
import type { AccessRule } from '#adapter-kubernetes';

/** Whom the rules are given to, and under what name. */
export interface RbacSubject {
  /** Of the Roles and bindings. */
  readonly name: string;
  readonly serviceAccount: string;
  readonly serviceAccountNamespace: string;
}

/** Rules of one namespace, or of all of them. */
export interface ScopedRules {
  /** null: of all namespaces. */
  readonly namespace: string | null;
  readonly rules: readonly AccessRule[];
}

/** The text of a Role and its binding for each scope; a ClusterRole where the scope is all namespaces. */
export function rbacManifest(scopes: readonly ScopedRules[], subject: RbacSubject): string {
  return scopes
    .flatMap((scope) => [roleOf(scope, subject), bindingOf(scope, subject)])
    .map((document) => stringify(document, { flowCollectionPadding: false }))
    .join('---\n');
}

const apiGroup = 'rbac.authorization.k8s.io';
const apiVersion = `${apiGroup}/v1`;

function roleOf({ namespace, rules }: ScopedRules, { name }: RbacSubject): object {
  const kind = namespace === null ? 'ClusterRole' : 'Role';
  return { apiVersion, kind, metadata: metadataOf(name, namespace), rules };
}

function bindingOf({ namespace }: ScopedRules, subject: RbacSubject): object {
  const { name, serviceAccount, serviceAccountNamespace } = subject;
  const kind = namespace === null ? 'ClusterRole' : 'Role';
  return {
    apiVersion,
    kind: `${kind}Binding`,
    metadata: metadataOf(name, namespace),
    roleRef: { apiGroup, kind, name },
    subjects: [{ kind: 'ServiceAccount', name: serviceAccount, namespace: serviceAccountNamespace }],
  };
}

function metadataOf(name: string, namespace: string | null): object {
  return namespace === null ? { name } : { name, namespace };
}
