import type { ApiAnswer, ApiConnection } from './api-connection.ts';

/** What each part of the suite works with: a connection, and a namespace of its own. */
export interface ContractContext {
  readonly api: ApiConnection;
  readonly namespace: string;
}

/** Reads the context once it is there: suites are declared before the server is up. */
export type GetContext = () => ContractContext;

/** An object of an answer, loosely. */
export interface AnyObject {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly managedFields?: readonly {
      readonly manager: string;
      readonly operation: string;
      readonly subresource?: string;
      readonly fieldsV1: unknown;
    }[];
    readonly [field: string]: unknown;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** A list of an answer, loosely. */
export interface AnyList {
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly AnyObject[];
}

let counter = 0;

/** A name that nothing else in the suite has. */
export function uniqueName(prefix: string): string {
  counter += 1;
  return `${prefix}-${counter}`;
}

/** Path of a namespaced resource. */
export function pathOf(apiVersion: string, plural: string, namespace: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}/namespaces/${namespace}/${plural}`;
}

/** Path of the Deployments of a context. */
export function deployments({ namespace }: ContractContext): string {
  return pathOf('apps/v1', 'deployments', namespace);
}

/** A Deployment with boring values. */
export function aDeployment(
  name: string,
  spec: object = {},
  labels: Record<string, string> = { app: name },
): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [aContainer()] } },
      ...spec,
    },
  };
}

/** A pod with boring values. */
export function aPod(name: string, labels: Record<string, string> = {}, metadata: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels, ...metadata },
    spec: { containers: [aContainer()] },
  };
}

/** A container with boring values. */
export function aContainer(name = 'web'): object {
  return { name, image: 'example.com/web:1', resources: { requests: { cpu: '100m' } } };
}

/**
 * Creates an object.
 *
 * @throws Error with the answer where it is not 201
 */
export async function create({ api }: ContractContext, path: string, body: object): Promise<AnyObject> {
  const answer = await api.call({ method: 'POST', path, body });
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return objectOf(answer);
}

/** Creates a Deployment and gives its path. */
export async function createDeployment(
  context: ContractContext,
  spec: object = {},
): Promise<{ readonly name: string; readonly path: string; readonly object: AnyObject }> {
  const name = uniqueName('web');
  const object = await create(context, deployments(context), aDeployment(name, spec));
  return { name, path: `${deployments(context)}/${name}`, object };
}

/** The body of an answer as an object. */
export function objectOf({ body }: ApiAnswer): AnyObject {
  return body as AnyObject;
}

/** The body of an answer as a list. */
export function listOf({ body }: ApiAnswer): AnyList {
  return body as AnyList;
}

const codes = {
  AlreadyExists: 409,
  BadRequest: 400,
  Conflict: 409,
  Invalid: 422,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  NotFound: 404,
  UnsupportedMediaType: 415,
} as const;

/** An answer that refuses, by the whole of its Status; message and details may be matchers. */
export function failure(reason: keyof typeof codes, message: unknown, details?: unknown): object {
  const code = codes[reason];
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  return { status: code, body: details === undefined ? status : { ...status, details } };
}

export const mergePatchType = 'application/merge-patch+json';
export const jsonPatchType = 'application/json-patch+json';
export const strategicPatchType = 'application/strategic-merge-patch+json';
export const applyPatchType = 'application/apply-patch+yaml';
export const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
export const metadataListOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
