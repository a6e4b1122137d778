import type { JsonObject } from '#kernel';
import {
  type Check,
  checkOf,
  count,
  integer,
  list,
  object,
  oneOf,
  optional,
  orNull,
  required,
  text,
  time,
} from './input/check.ts';
import { checkMemory } from './input/check-memory.ts';
import { observationSchema } from './input/check-observation.ts';
import { settingsSchema } from './input/parse-settings.ts';
import { actions } from './model/decision.ts';

const failure = object(required('reason', text), required('message', text));
const names = list(text);
const anything = checkOf({ type: 'object' }, () => null);

const metric = object(
  required('type', text),
  required('name', text),
  required('target', anything),
  required(
    'current',
    object(optional('averageUtilization', integer), optional('averageValue', text), optional('value', text)),
  ),
  required('proposedReplicas', nullable(count)),
  required('error', nullable(failure)),
  required(
    'pods',
    object(
      required('considered', names),
      required('ready', names),
      required('unready', names),
      required('missing', names),
      required('ignored', names),
      required('filteredOut', list(object(required('pod', text), required('reason', text)))),
    ),
  ),
);

const decision = object(
  required('time', time),
  required('policy', object(required('namespace', text), required('name', text))),
  required('currentReplicas', nullable(count)),
  required('desiredReplicas', nullable(count)),
  required('action', oneOf(...actions)),
  required('reason', text),
  required(
    'selection',
    object(required('requested', text), required('effective', text), required('fallback', nullable(failure))),
  ),
  required('metrics', list(metric)),
  required(
    'steps',
    list(
      object(
        required('rule', text),
        required('before', nullable(count)),
        required('after', nullable(count)),
        required('because', text),
      ),
    ),
  ),
  required(
    'conditions',
    list(
      object(
        required('type', text),
        required('status', oneOf('True', 'False', 'Unknown')),
        required('reason', text),
        required('message', text),
        required('lastTransitionTime', time),
      ),
    ),
  ),
);

const draft = 'https://json-schema.org/draft/2020-12/schema';

/** JSON Schemas of the decision contract by file name, generated from the checks that the engine itself makes. */
export const decisionSchemas: Readonly<Record<string, JsonObject>> = {
  'decide-input': {
    $schema: draft,
    title: 'Input of the decision contract',
    type: 'object',
    required: ['policy', 'observation'],
    properties: {
      policy: {
        type: 'object',
        description:
          'An AutoscalingPolicy, HorizontalPodAutoscaler or WatermarkPodAutoscaler; see the schemas of these kinds',
      },
      settings: settingsSchema,
      observation: observationSchema,
      memory: orNull(checkMemory.schema),
    },
  },
  decision: {
    $schema: draft,
    title: 'Output of the decision contract',
    ...object(required('decision', decision), required('memory', checkMemory)).schema,
  },
};

/** There, but perhaps null. */
function nullable(check: Check): Check {
  return checkOf(orNull(check.schema), (value) => (value === null ? null : check(value)));
}
