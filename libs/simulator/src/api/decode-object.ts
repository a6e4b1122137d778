import { parse as parseYaml } from 'yaml';
import { type Json, type JsonObject, isJsonObject } from '#kernel';
import { isList, textAt } from '../objects/kube-object.ts';
import { type FieldNames, type ResourceDefinition, apiVersionOf } from '../registry/resource-definition.ts';
import { mediaType, unsupportedMediaType } from './media-type.ts';
import { type HttpRequest } from './resource-request.ts';
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
  if (type !== '' && type !== 'application/json' && type !== 'application/yaml') {
    throw unsupportedMediaType(['application/json', 'application/yaml']);
  }
  return decodeObject(parseBody(request.body, resource.kind), resource, validationOf(request));
}

/** Reads JSON, or YAML where it is not JSON. */
export function parseBody(text: string, kind: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (!text.trimStart().startsWith('{')) return parseYaml(text) as Json;
    const cause = error instanceof Error ? error.message : String(error);
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${cause}`,
    );
  }
}

/** How strictly a request wants its fields checked; the server's default warns. */
export function validationOf({ query }: HttpRequest): string {
  return query.get('fieldValidation') ?? 'Warn';
}

/** Checks kind and version, and, where the resource has a list of fields, drops or refuses the unknown. */
export function decodeObject(value: Json, resource: ResourceDefinition, validation: string): DecodedObject {
  const { kind, version } = resource;
  if (!isJsonObject(value)) throw badRequest(`the body is not an object of kind ${kind}`);
  const apiVersion = textAt(value, 'apiVersion') ?? apiVersionOf(resource);
  const found = textAt(value, 'kind') ?? kind;
  if (found !== kind) {
    throw badRequest(
      `${found} in version "${version}" cannot be handled as a ${kind}: converting (${version}.${found}) to (${resource.group}.${kind}): unknown conversion`,
    );
  }
  if (apiVersion !== apiVersionOf(resource)) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(resource)})`,
    );
  }
  const object = { ...value, apiVersion, kind };
  if (resource.fields === undefined) return { object, warnings: [] };
  const unknown: string[] = [];
  const known = keepKnown(object, resource.fields, { path: '', unknown });
  if (unknown.length > 0 && validation === 'Strict') throw strictError(resource, unknown);
  const warnings = validation === 'Warn' ? unknown.map((path) => `unknown field "${path}"`) : [];
  return { object: isJsonObject(known) ? known : object, warnings };
}

interface Walk {
  readonly path: string;
  readonly unknown: string[];
}

function keepKnown(value: Json, fields: FieldNames, walk: Walk): Json {
  if (isList(value)) {
    return value.map((item, index) => keepKnown(item, fields, { ...walk, path: `${walk.path}[${index}]` }));
  }
  if (!isJsonObject(value)) return value;
  const kept: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    const path = walk.path === '' ? key : `${walk.path}.${key}`;
    const below = fields[key];
    if (below === undefined) walk.unknown.push(path);
    else if (item !== undefined)
      kept[key] = below === true ? item : keepKnown(item, below, { ...walk, path });
  }
  return kept;
}

function strictError({ kind, version }: ResourceDefinition, unknown: readonly string[]): Error {
  const list = [...unknown].sort().map((path) => `unknown field "${path}"`);
  return badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${list.join(', ')}`,
  );
}
