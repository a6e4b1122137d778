import type { ObservedLifecycle } from '#decision';
import { cutText, jsonText, parseJsonPath, valuesAt } from '#kernel';
import type { LifecycleBlock } from '#policy';
import type { ObjectReading } from '../ports/objects.port.ts';

/** A value of the object is shown in conditions, events and the ledger. */
const maximumShown = 100;

/**
 * Whether the object that a policy names blocks it. An object that cannot be read, or is not there, does: its author
 * wanted a brake. Reasons are the Watermark Pod Autoscaler's, with the object's kind for DatadogMonitor. Pure.
 *
 * @see docs/spec/watermark-pod-autoscaler.md "Lifecycle"
 */
export function lifecycleState(block: LifecycleBlock, reading: ObjectReading): ObservedLifecycle {
  const { kind, name, jsonPath, notEqual } = block;
  const unread = (message: string): ObservedLifecycle => ({
    blocked: true,
    reason: `FailedGet${kind}`,
    message,
  });
  if ('error' in reading) return unread(reading.error.message);
  const path = parseJsonPath(jsonPath);
  if (!path.ok) return unread(`jsonPath ${jsonPath}: ${path.error}`);
  const texts = valuesAt(reading.object, path.value).map(jsonText);
  const shown = texts.length === 0 ? 'nothing' : cutText(texts.join(', '), maximumShown);
  const isFree =
    notEqual === undefined
      ? texts.length === 0
      : texts.length > 0 && texts.every((text) => text === notEqual);
  const wanted = notEqual === undefined ? 'nothing' : notEqual;
  return isFree
    ? { blocked: false, reason: `${kind}OK`, message: `${kind} ${name} has ${shown} at ${jsonPath}` }
    : {
        blocked: true,
        reason: `${kind}NotOK`,
        message: `${kind} ${name} has ${shown} at ${jsonPath}, not ${wanted}`,
      };
}
