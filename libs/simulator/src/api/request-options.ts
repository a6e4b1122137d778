import { isJsonObject, type JsonObject } from '#kernel';
import { numberAt, objectAt, textAt } from '../objects/kube-object.ts';
import type { FieldProblem } from '../registry/field-problem.ts';
import { parseBody } from './decode-object.ts';
import { parseFilter, parseRevision } from './list-query.ts';
import { chooseRepresentation } from './media-type.ts';
import type { ObjectAddress } from './object-address.ts';
import type { DeleteOptions } from './object-deleter.ts';
import type { WriteOptions } from './object-writer.ts';
import type { HttpRequest, ResourceTarget } from './resource-request.ts';
import { badRequest, invalid, methodNotAllowed, unknownResource } from './status-error.ts';
import type { WatchRequest } from './watch-session.ts';

/** As a real server: between half an hour and an hour, unless the client asks for less. */
const watchSeconds = 1800;

/**
 * The one object that a request is about.
 *
 * @throws StatusError 405 where the URL names none
 */
export function addressOf({ resource, namespace, name }: ResourceTarget): ObjectAddress {
  if (name === undefined || (resource.namespaced && namespace === undefined)) throw methodNotAllowed();
  return { resource, namespace: namespace ?? '', name };
}

/**
 * Refuses a subresource that the resource lacks; `scale` has a way of its own.
 *
 * @throws StatusError 404
 */
export function checkSubresource({ resource, subresource }: ResourceTarget): void {
  if (subresource === undefined || (subresource === 'status' && resource.hasStatus)) return;
  throw unknownResource();
}

/** Who writes: `fieldManager`, else the program that the user agent names. */
export function writeOptions(
  { subresource }: ResourceTarget,
  { query, userAgent }: HttpRequest,
): WriteOptions {
  const program = userAgent.split('/')[0] ?? '';
  return {
    manager: query.get('fieldManager') ?? (program === '' ? 'unknown' : program),
    dryRun: query.get('dryRun') === 'All',
    ...(subresource === 'status' || subresource === 'scale' ? { subresource } : {}),
  };
}

/**
 * `DeleteOptions` from the body, else the query.
 *
 * @throws StatusError 400 where the body is something else
 */
export function deleteOptions({ body, query }: HttpRequest): DeleteOptions {
  const given = body.trim() === '' ? {} : parseBody(body, 'DeleteOptions');
  if (!isJsonObject(given)) throw badRequest('the body is not a DeleteOptions object');
  const grace = query.get('gracePeriodSeconds');
  return {
    propagationPolicy: textAt(given, 'propagationPolicy') ?? query.get('propagationPolicy') ?? undefined,
    gracePeriodSeconds: numberAt(given, 'gracePeriodSeconds') ?? (grace === null ? undefined : Number(grace)),
    preconditions: objectAt(given, 'preconditions'),
    dryRun: query.get('dryRun') === 'All' || isDryRun(given),
  };
}

/**
 * Reads a watch from its query.
 *
 * @throws StatusError 400 for a selector, 422 for a combination of options that cannot be read
 */
export function parseWatch(target: ResourceTarget, request: HttpRequest): WatchRequest {
  const { query } = request;
  const sendInitialEvents = query.get('sendInitialEvents') === 'true';
  if (sendInitialEvents && query.get('resourceVersionMatch') !== 'NotOlderThan') {
    const message = 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    const problem: FieldProblem = { reason: 'FieldValueForbidden', field: 'resourceVersionMatch', message };
    throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [problem]);
  }
  return {
    resource: target.resource,
    namespace: target.namespace,
    filter: parseFilter(target, query),
    representation: chooseRepresentation(request.accept),
    revision: parseRevision(query),
    sendInitialEvents,
    bookmarks: ['true', '1'].includes(query.get('allowWatchBookmarks') ?? ''),
    timeoutSeconds: Number(query.get('timeoutSeconds') ?? watchSeconds),
  };
}

function isDryRun(options: JsonObject): boolean {
  const { dryRun } = options;
  return Array.isArray(dryRun) && dryRun.includes('All');
}
