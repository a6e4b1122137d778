import { AdapterError } from '#kernel';
import type { WatchedNamespaces } from './namespace-scopes.ts';

/** What this process may ask of the API server, whatever its credentials allow. */
export interface Access {
  readonly namespaces: WatchedNamespaces;
  /** Nothing is written, not even an Event; looked at for each request. */
  readonly isReadOnly: boolean;
}

/** What of a request decides whether it is allowed. */
interface AccessRequest {
  readonly method?: string;
  readonly path: string;
}

/**
 * Refuses what is outside the access, before it is sent.
 *
 * @throws AdapterError `ReadOnly` for a write, `NamespaceNotManaged` for another namespace, `Invalid` for a path that a
 *   client or server would read as another: what is looked at here would not be what is asked for.
 */
export function requireAccess({ method = 'GET', path }: AccessRequest, access: Access | undefined): void {
  if (leadsElsewhere(path)) {
    const message = `${method} ${path}: not sent, a name with . or .. in it leads elsewhere`;
    throw new AdapterError({ code: 'Invalid', message, retryable: false });
  }
  if (access === undefined) return;
  if (access.isReadOnly && method !== 'GET') {
    const message = `${method} ${path}: not sent, nothing is written to this cluster (mode: Observe)`;
    throw new AdapterError({ code: 'ReadOnly', message, retryable: false });
  }
  const namespace = namespaceOf(path);
  if (namespace === undefined || isManaged(access.namespaces, decodeURIComponent(namespace))) return;
  const message = `${method} ${path}: not sent, namespace ${namespace} is not among the configured namespaces`;
  throw new AdapterError({ code: 'NamespaceNotManaged', message, retryable: false });
}

/** Whether a namespace is among those that are managed. */
export function isManaged(namespaces: WatchedNamespaces, namespace: string): boolean {
  return namespaces.all || namespaces.names.includes(namespace);
}

/** URLs are resolved with `.` and `..`, also where these, or the `/` beside them, are written with `%`. */
function leadsElsewhere(path: string): boolean {
  return decodeURIComponent(path)
    .split('/')
    .some((segment) => segment === '.' || segment === '..');
}

/** Of `/api/v1/namespaces/NAME/…` and `/apis/GROUP/VERSION/namespaces/NAME/…`. */
function namespaceOf(path: string): string | undefined {
  const [, api, ...parts] = path.split('/');
  const [word, name] = api === 'api' ? parts.slice(1) : parts.slice(2);
  return (api === 'api' || api === 'apis') && word === 'namespaces' && name !== '' ? name : undefined;
}
