import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { rootContext } from '../fields/list-keys.ts';
import { applyJsonPatch, JsonPatchError } from '../patches/json-patch.ts';
import { applyMergePatch } from '../patches/merge-patch.ts';
import { applyStrategicMergePatch } from '../patches/strategic-merge-patch.ts';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import { parseBody } from './decode-object.ts';
import { mediaType, unsupportedMediaType } from './media-type.ts';
import type { HttpRequest } from './resource-request.ts';
import { badRequest, impossiblePatch, StatusError } from './status-error.ts';

const jsonPatchType = 'application/json-patch+json';
const mergePatchType = 'application/merge-patch+json';
const strategicPatchType = 'application/strategic-merge-patch+json';
const applyPatchType = 'application/apply-patch+yaml';

/** Whether a patch is a server-side apply. */
export function isApply({ contentType }: HttpRequest): boolean {
  return mediaType(contentType) === applyPatchType;
}

/**
 * The object that a JSON, merge or strategic merge patch makes of another.
 *
 * @throws StatusError 400 for a body that is no patch, 415 for another kind of patch, 422 for one that does not fit
 */
export function patchJson(live: JsonObject, request: HttpRequest, resource: ResourceDefinition): JsonObject {
  const patched = applyPatch(live, request, resource);
  if (!isJsonObject(patched)) throw badRequest('the patch leaves no object');
  return patched;
}

function applyPatch(
  live: JsonObject,
  { contentType, body }: HttpRequest,
  resource: ResourceDefinition,
): Json {
  const type = mediaType(contentType);
  if (type === jsonPatchType) return patchByOperations(live, parseBody(body, resource.kind));
  if (type === mergePatchType) return applyMergePatch(live, parseBody(body, resource.kind));
  if (type !== strategicPatchType) throw unknownPatch();
  // Without a schema it is unknown which lists have keys, so upstream does not offer it.
  if (resource.custom) throw unsupportedMediaType([jsonPatchType, mergePatchType, applyPatchType]);
  return applyStrategicMergePatch(live, parseBody(body, resource.kind), rootContext(true));
}

function patchByOperations(live: JsonObject, patch: Json): Json {
  try {
    return applyJsonPatch(live, patch);
  } catch (error) {
    if (error instanceof JsonPatchError) throw impossiblePatch();
    throw error;
  }
}

function unknownPatch(): StatusError {
  const message = '415: Unsupported Media Type';
  return new StatusError(415, { message, reason: 'UnsupportedMediaType', details: {} });
}
