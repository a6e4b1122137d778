import type { ResourceDefinition } from '../registry/resource-definition.ts';
import type { ResourceRegistry } from '../registry/resource-registry.ts';

/** Kubernetes' own verbs. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** One HTTP request, read to its end. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly contentType: string;
  readonly userAgent: string;
  readonly body: string;
}

/** What a request's URL names. */
export interface ResourceTarget {
  readonly resource: ResourceDefinition;
  /** Undefined: all namespaces, or a cluster-scoped resource. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** The verb that a request stands for; undefined for a method that Kubernetes does not know. */
export function verbOf(request: HttpRequest, hasName: boolean): Verb | undefined {
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      if (isWatch(request)) return 'watch';
      return hasName ? 'get' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return hasName ? 'delete' : 'deletecollection';
    default:
      return undefined;
  }
}

/** Whether a query asks for a watch: `watch=true`, `watch=1`. */
function isWatch({ query }: HttpRequest): boolean {
  const value = query.get('watch');
  return value === 'true' || value === '1';
}

/** Splits a path into API version and the rest: `/apis/apps/v1/deployments` → `apps/v1`, [`deployments`]. */
export function splitPath(
  path: string,
): { readonly apiVersion: string; readonly segments: readonly string[] } | undefined {
  const [root, ...parts] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  if (root === 'api') {
    const [version = '', ...segments] = parts;
    return { apiVersion: version, segments };
  }
  if (root !== 'apis') return undefined;
  const [group = '', version = '', ...segments] = parts;
  return { apiVersion: `${group}/${version}`, segments };
}

/** Finds what a path names; undefined where nothing is served. */
export function findTarget(path: string, registry: ResourceRegistry): ResourceTarget | undefined {
  const split = splitPath(path);
  if (split === undefined) return undefined;
  const { namespace, rest } = splitNamespace(split.segments);
  const [plural = '', name, subresource, ...tooMuch] = rest;
  const resource = registry.find(split.apiVersion, plural);
  if (resource === undefined || tooMuch.length > 0) return undefined;
  const isNamed = name !== undefined || namespace !== undefined;
  if (isNamed && resource.namespaced !== (namespace !== undefined)) return undefined;
  return { resource, namespace, name, subresource };
}

/** `namespaces/NAME/status` is the namespace itself, `namespaces/NAME/pods` a resource within it. */
function splitNamespace(segments: readonly string[]): {
  readonly namespace: string | undefined;
  readonly rest: readonly string[];
} {
  const [first, namespace, ...below] = segments;
  const isWithin = first === 'namespaces' && below.length > 0 && !isNamespaceSubresource(below);
  return isWithin ? { namespace, rest: below } : { namespace: undefined, rest: segments };
}

function isNamespaceSubresource(segments: readonly string[]): boolean {
  return segments.length === 1 && (segments[0] === 'status' || segments[0] === 'finalize');
}
