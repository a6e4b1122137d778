import { parse as parseYaml } from 'yaml';
import { isJsonObject, type Json, type JsonObject, messageOf } from '#kernel';
import { isList, textAt } from '../objects/kube-object.ts';
import { apiVersionOf, type FieldTypes, type ResourceDefinition } from '../registry/resource-definition.ts';
import { mediaType, unsupportedMediaType } from './media-type.ts';
import type { HttpRequest } from './resource-request.ts';
import { badRequest } from './status-error.ts';

/** A body as an object of its resource, and what the writer is warned of. */
export interface DecodedObject {
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

/**
 * Reads the body of a create or an update.
 *
 * @throws StatusError 400 where it is no object of this kind, 415 for a media type that is not read.
 */
export function decodeBody(request: HttpRequest, resource: ResourceDefinition): DecodedObject {
  const type = mediaType(request.contentType);
  if (type !== '' && type !== 'application/json' && type !== 'application/yaml')
    throw unsupportedMediaType(['application/json', 'application/yaml']);

  return decodeObject(parseBody(request.body, resource.kind), resource, validationOf(request));
}

/** Reads JSON, or YAML where it is not JSON. */
export function parseBody(text: string, kind: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (!text.trimStart().startsWith('{')) return parseYaml(text) as Json;
    const cause = messageOf(error);
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${cause}`,
    );
  }
}

/** How strictly a request wants its fields checked; the server's default warns. */
export function validationOf({ query }: HttpRequest): string {
  return query.get('fieldValidation') ?? 'Warn';
}

/**
 * Checks kind and version, and, where the resource lists its fields, their types; what is unknown is dropped or refused.
 *
 * @throws StatusError 400
 */
export function decodeObject(value: Json, resource: ResourceDefinition, validation: string): DecodedObject {
  const { kind, fields } = resource;
  if (!isJsonObject(value)) throw badRequest(`the body is not an object of kind ${kind}`);
  checkKind(value, resource);
  const object = { ...value, apiVersion: apiVersionOf(resource), kind };
  if (fields === undefined) return { object, warnings: [] };
  const unknown: string[] = [];
  const known = keepKnown(object, fields, { path: '', unknown, resource });
  const problems = unknown.map((path) => `unknown field "${path}"`);
  if (problems.length > 0 && validation === 'Strict')
    throw undecodable(resource, `strict decoding error: ${problems.join(', ')}`);

  return { object: isJsonObject(known) ? known : object, warnings: validation === 'Warn' ? problems : [] };
}

function checkKind(value: JsonObject, resource: ResourceDefinition): void {
  const { kind, group, version } = resource;
  const found = textAt(value, 'kind') ?? kind;
  if (found !== kind) {
    throw undecodable(
      resource,
      `converting (${version}.${found}) to (${group}.${kind}): unknown conversion`,
      found,
    );
  }
  const expected = apiVersionOf(resource);
  const apiVersion = textAt(value, 'apiVersion') ?? expected;
  if (apiVersion === expected) return;
  throw badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
  );
}

interface Walk {
  readonly path: string;
  readonly unknown: string[];
  readonly resource: ResourceDefinition;
}

function keepKnown(value: Json, fields: FieldTypes, walk: Walk): Json {
  if (isList(value))
    return value.map((item, index) => keepKnown(item, fields, { ...walk, path: `${walk.path}[${index}]` }));

  if (!isJsonObject(value)) return value;
  const kept: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    const path = walk.path === '' ? key : `${walk.path}.${key}`;
    const type = fields[key];
    if (type === undefined) walk.unknown.push(path);
    else if (item !== undefined) kept[key] = keepTyped(item, type, { ...walk, path });
  }
  return kept;
}

function keepTyped(value: Json, type: FieldTypes[string], walk: Walk): Json {
  if (type === 'any' || value === null) return value;
  if (typeof type === 'object') return keepKnown(value, type, walk);
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  if (found === (type === 'int32' ? 'number' : type)) return value;
  const field = `${walk.resource.kind}Spec.${walk.path}`;
  throw undecodable(
    walk.resource,
    `json: cannot unmarshal ${found} into Go struct field ${field} of type ${type}`,
  );
}

function undecodable({ kind, version }: ResourceDefinition, cause: string, found = kind): Error {
  return badRequest(`${found} in version "${version}" cannot be handled as a ${kind}: ${cause}`);
}
