import type { JsonObject } from '#kernel';
import type { FieldProblem } from '../registry/field-problem.ts';
import type { ResourceDefinition } from '../registry/resource-definition.ts';

/** A refusal, shaped as Kubernetes shapes it; `body` is the `Status` object that the client reads. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly body: JsonObject;

  constructor(code: number, status: StatusFields) {
    super(status.message);
    this.code = code;
    const { message, reason, details } = status;
    this.body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      details,
      code,
    };
  }
}

/** The parts of a `Status` that differ from error to error. */
export interface StatusFields {
  readonly message: string;
  readonly reason?: string;
  readonly details?: JsonObject;
}

type Resource = Pick<ResourceDefinition, 'group' | 'plural' | 'kind'>;

/** 404 on one object. */
export function notFound(resource: Resource, name: string): StatusError {
  const message = `${qualified(resource)} "${name}" not found`;
  return new StatusError(404, { message, reason: 'NotFound', details: detailsOf(resource, name) });
}

/** 404 on a path that no resource is served at. */
export function unknownResource(): StatusError {
  const message = 'the server could not find the requested resource';
  return new StatusError(404, { message, reason: 'NotFound', details: {} });
}

/** 409 on create. */
export function alreadyExists(resource: Resource, name: string): StatusError {
  const message = `${qualified(resource)} "${name}" already exists`;
  return new StatusError(409, { message, reason: 'AlreadyExists', details: detailsOf(resource, name) });
}

/** 409 on a stale `resourceVersion`. */
export function staleVersion(resource: Resource, name: string): StatusError {
  const cause = 'the object has been modified; please apply your changes to the latest version and try again';
  return conflict(resource, name, cause);
}

/** 409 with a cause of its own. */
export function conflict(resource: Resource, name: string, cause: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${cause}`;
  return new StatusError(409, { message, reason: 'Conflict', details: detailsOf(resource, name) });
}

/** 400. */
export function badRequest(message: string): StatusError {
  return new StatusError(400, { message, reason: 'BadRequest' });
}

/** 405. */
export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  return new StatusError(405, { message, reason: 'MethodNotAllowed', details: {} });
}

/** 410: the revision is no longer known. */
export function expired(revision: number, oldest: number): StatusError {
  const message = `too old resource version: ${revision} (${oldest})`;
  return new StatusError(410, { message, reason: 'Expired' });
}

/** 422 with every problem at once. */
export function invalid(
  { group, kind }: Pick<Resource, 'group' | 'kind'>,
  name: string,
  problems: readonly FieldProblem[],
): StatusError {
  const texts = problems.map(({ field, message }) => `${field}: ${message}`);
  const list = texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`;
  const message = `${group === '' ? kind : `${kind}.${group}`} "${name}" is invalid: ${list}`;
  const causes = problems.map(({ reason, message: text, field }) => ({ reason, message: text, field }));
  const details = { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind, causes };
  return new StatusError(422, { message, reason: 'Invalid', details });
}

/** 422 on a patch that cannot be carried out. */
export function impossiblePatch(): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return new StatusError(422, { message, reason: 'Invalid', details: {} });
}

function qualified({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function detailsOf({ group, plural }: Pick<Resource, 'group' | 'plural'>, name: string): JsonObject {
  return { name, ...(group === '' ? {} : { group }), kind: plural };
}
