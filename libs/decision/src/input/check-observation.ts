import type { JsonObject } from '#kernel';
import type { EffectivePolicy } from '#policy';
import {
  also,
  atLeast,
  type Check,
  checkOf,
  count,
  type Fault,
  flag,
  integer,
  isRecord,
  list,
  mapOf,
  object,
  oneOf,
  optional,
  orNull,
  quantity,
  required,
  text,
  time,
  uniqueBy,
} from './check.ts';
import { isPlainPod, isPlainSample } from './is-plain-pod.ts';

const failure = object(optional('reason', text), optional('message', text));
const reference = [
  optional('apiVersion', text),
  optional('kind', text),
  optional('name', text),
  optional('uid', text),
];
const references = list(object(...reference, optional('controller', flag)));
const requests = mapOf(quantity);
const containers = list(
  object(optional('name', text), optional('restartPolicy', text), optional('requests', requests)),
);

/** Something, or the error of looking it up. */
function orFailure(check: Check): Check {
  const failed = object(required('error', failure));
  return checkOf({ anyOf: [check.schema, failed.schema] }, (value) =>
    hasError(value) ? failed(value) : check(value),
  );
}

const scale = orFailure(
  object(required('specReplicas', count), optional('statusReplicas', count), optional('selector', text)),
);

const pod = object(
  required('name', text),
  optional('uid', text),
  optional('labels', mapOf(text)),
  optional('ownerReferences', references),
  optional('phase', text),
  optional('startTime', time),
  optional('deletionTimestamp', time),
  optional('ready', object(optional('status', text), optional('lastTransitionTime', time))),
  optional('containers', containers),
  optional('initContainers', containers),
  optional('resources', object(optional('requests', requests))),
);
const pods = also(list(unlessPlain(isPlainPod, pod)), uniqueBy('name'));

const sample = object(
  required('pod', text),
  optional('timestamp', time),
  optional('windowSeconds', integer),
  optional('containers', list(object(optional('name', text), optional('usage', mapOf(quantity))))),
  optional('value', quantity),
);
const samples = also(list(unlessPlain(isPlainSample, sample)), uniqueBy('pod'));

const metric = object(
  optional('error', failure),
  optional('pods', samples),
  optional('value', quantity),
  optional('values', list(quantity)),
  optional('timestamp', time),
);
const metricOrNull = checkOf(orNull(metric.schema), (value) => (value === null ? null : metric(value)));
const owner = object(...reference, optional('ownerReferences', references));
const recommendation = orFailure(
  object(
    optional('replicas', integer),
    optional('lowerBound', integer),
    optional('upperBound', integer),
    optional('observed', quantity),
    optional('reason', text),
    optional('timestamp', time),
  ),
);
const lifecycle = object(required('blocked', flag), optional('reason', text), optional('message', text));

const direction = required('direction', oneOf('Up', 'Down', 'Both'));
const span = [optional('since', time), optional('until', time)];
const windows = list(
  byKind({
    Schedule: object(
      optional('name', text),
      optional('minReplicas', count),
      optional('maxReplicas', atLeast(1)),
      ...span,
    ),
    Freeze: object(optional('name', text), direction, ...span),
  }),
);

/** The parts of an observation that do not depend on the policy. */
const independent = [
  required('time', time),
  required('scale', scale),
  optional('target', object(optional('uid', text))),
  optional('pods', pods),
  optional('owners', orFailure(list(owner))),
  optional('metrics', list(metricOrNull)),
  optional('competingPolicies', list(text)),
  optional('windows', windows),
];
const checkIndependent = object(...independent);

const checkInterventions = object(optional('interventions', interventions(1)));
const checkInterventionsToZero = object(optional('interventions', interventions(0)));
const checkRecommendation = object(optional('recommendation', recommendation));
const checkLifecycle = object(optional('lifecycle', lifecycle));

/** The JSON Schema of an observation, for a policy whose `minReplicas` may be 0. */
export const observationSchema: JsonObject = object(
  ...independent,
  optional('recommendation', recommendation),
  optional('lifecycle', lifecycle),
  optional('interventions', interventions(0)),
).schema;

/**
 * The problem of an observation for this policy, or null. The recommendation and the lifecycle are looked at only
 * where the policy has their spec; quantities only for being text or number.
 */
export function checkObservation(value: unknown, policy: EffectivePolicy): Fault | null {
  const mayBeZero = policy.minReplicas === 0 && policy.family === 'hpa';
  return (
    checkIndependent(value) ??
    checkMetricCount(value, policy) ??
    (mayBeZero ? checkInterventionsToZero : checkInterventions)(value) ??
    (policy.recommender === undefined ? null : checkRecommendation(value)) ??
    (policy.lifecycle === undefined ? null : checkLifecycle(value))
  );
}

function checkMetricCount(value: unknown, { metrics }: EffectivePolicy): Fault | null {
  const observed = isRecord(value) ? value['metrics'] : undefined;
  if (!Array.isArray(observed) || observed.length <= metrics.length) return null;
  const message = `${observed.length} metrics are more than the ${metrics.length} of the policy`;
  return { path: ['metrics', metrics.length], message };
}

function interventions(lowest: number): Check {
  const common = [
    optional('reason', text),
    optional('actor', text),
    optional('since', time),
    required('expires', time),
  ];
  const override = object(
    optional('minReplicas', atLeast(lowest)),
    optional('maxReplicas', atLeast(1)),
    optional('replicas', count),
    ...common,
  );
  return list(
    byKind({
      Suspend: object(direction, ...common),
      DryRun: object(...common),
      Override: also(override, (value) => (namesSomething(value) ? null : emptyOverride)),
    }),
  );
}

const emptyOverride: Fault = {
  path: [],
  message: 'an Override names at least one of minReplicas, maxReplicas and replicas',
};

function namesSomething(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return ['minReplicas', 'maxReplicas', 'replicas'].some(
    (name) => value[name] !== null && value[name] !== undefined,
  );
}

/** An object whose other fields follow from `kind`. */
function byKind(kinds: Readonly<Record<string, Check>>): Check {
  const kind = object(required('kind', oneOf(...Object.keys(kinds))));
  const schemas = Object.entries(kinds).map(([name, { schema }]) => ({
    allOf: [{ required: ['kind'], properties: { kind: { const: name } } }, schema],
  }));
  return checkOf({ type: 'object', oneOf: schemas }, (value) => {
    const wrong = kind(value);
    if (wrong !== null || !isRecord(value)) return wrong;
    return kinds[String(value['kind'])]?.(value) ?? null;
  });
}

/** Pods and samples are many and nearly all alike: the quick check saves the complete one for most. */
function unlessPlain(isPlain: (value: unknown) => boolean, check: Check): Check {
  return checkOf(check.schema, (value) => (isPlain(value) ? null : check(value)));
}

function hasError(value: unknown): boolean {
  return isRecord(value) && value['error'] !== null && value['error'] !== undefined;
}
