import { type FieldRequirement, matchesFields, parseFieldSelector } from '../objects/field-selector.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import { type LabelRequirement, matchesLabels, parseLabelSelector } from '../objects/label-selector.ts';
import type { ResourceTarget } from './resource-request.ts';
import { badRequest, StatusError } from './status-error.ts';

/** Which objects a list, a watch or a delete of many is about. */
export interface ObjectFilter {
  readonly labels: readonly LabelRequirement[];
  readonly fields: readonly FieldRequirement[];
}

/**
 * Reads the selectors of a query; a name in the URL selects like a field.
 *
 * @throws StatusError 400 with the part that cannot be read
 */
export function parseFilter({ resource, name }: ResourceTarget, query: URLSearchParams): ObjectFilter {
  try {
    const fields = parseFieldSelector(query.get('fieldSelector') ?? '', resource.fieldSelectors);
    const byName = name === undefined ? [] : [{ path: ['metadata', 'name'], equal: true, value: name }];
    return { labels: parseLabelSelector(query.get('labelSelector') ?? ''), fields: [...fields, ...byName] };
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(error.message);
    throw error;
  }
}

/** Whether an object is selected. */
export function matchesFilter(object: KubeObject, { labels, fields }: ObjectFilter): boolean {
  return matchesLabels(object.metadata.labels, labels) && matchesFields(object, fields);
}

/**
 * The revision a query names: undefined for none, 0 for "any".
 *
 * @throws StatusError 500 for text that is no number, as upstream
 */
export function parseRevision(query: URLSearchParams): number | undefined {
  const text = query.get('resourceVersion') ?? '';
  if (text === '') return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const message = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  throw new StatusError(500, { message });
}

/** 504: the query wants a state that this server has not reached. */
export function tooLargeRevision(wanted: number, current: number): StatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return new StatusError(504, {
    message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
    reason: 'Timeout',
    details: { causes, retryAfterSeconds: 1 },
  });
}
