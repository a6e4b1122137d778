import { count, list, object, oneOf, optional, required, text, time } from './check.ts';

const timed = list(object(required('replicas', count), required('time', time)));

/** The problem of a memory, or null. */
export const checkMemory = object(
  optional('recommendations', timed),
  optional('scaleUpEvents', timed),
  optional('scaleDownEvents', timed),
  optional('lastScaleTime', time),
  optional('selectionStrategy', oneOf('LabelSelector', 'OwnerReference')),
  optional(
    'conditions',
    list(
      object(
        required('type', text),
        required('status', oneOf('True', 'False', 'Unknown')),
        optional('reason', text),
        optional('lastTransitionTime', time),
      ),
    ),
  ),
);
