import type { EffectivePolicy } from '#policy';
import { isPlainPod, isPlainSample } from './plain-pods.ts';
import {
  all,
  below,
  count,
  fault,
  flag,
  integer,
  isRecord,
  list,
  mapOf,
  object,
  oneOf,
  optional,
  quantity,
  required,
  text,
  time,
  uniqueBy,
  type Check,
  type Fault,
} from './check.ts';

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

const scale: Check = (value) => {
  const failed = object(optional('error', failure))(value);
  if (failed !== null || hasError(value)) return failed;
  return object(
    required('specReplicas', count),
    optional('statusReplicas', count),
    optional('selector', text),
  )(value);
};

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
const pods = all(list(unlessPlain(isPlainPod, pod)), uniqueBy('name'));

const sample = object(
  required('pod', text),
  optional('timestamp', time),
  optional('windowSeconds', integer),
  optional('containers', list(object(optional('name', text), optional('usage', mapOf(quantity))))),
  optional('value', quantity),
);
const samples = all(list(unlessPlain(isPlainSample, sample)), uniqueBy('pod'));

const metric = object(
  optional('error', failure),
  optional('pods', samples),
  optional('value', quantity),
  optional('values', list(quantity)),
  optional('timestamp', time),
);
const owner = object(...reference, optional('ownerReferences', references));
const recommendation = object(
  optional('replicas', integer),
  optional('lowerBound', integer),
  optional('upperBound', integer),
  optional('observed', quantity),
  optional('reason', text),
  optional('timestamp', time),
  optional('error', failure),
);
const lifecycle = object(required('blocked', flag), optional('reason', text), optional('message', text));

const direction = required('direction', oneOf('Up', 'Down', 'Both'));
const span = [optional('since', time), optional('until', time)];
const byKind =
  (kinds: Readonly<Record<string, Check>>): Check =>
  (value) => {
    const wrong = object(required('kind', oneOf(...Object.keys(kinds))))(value);
    if (wrong !== null || !isRecord(value)) return wrong;
    return kinds[String(value['kind'])]?.(value) ?? null;
  };
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

/** What of an observation depends on no policy. */
const independent = object(
  required('time', time),
  required('scale', scale),
  optional('target', object(optional('uid', text))),
  optional('pods', pods),
  optional('owners', (value) =>
    hasError(value) ? object(required('error', failure))(value) : list(owner)(value),
  ),
  optional(
    'metrics',
    list((value) => (value === null ? null : metric(value))),
  ),
  optional('competingPolicies', list(text)),
  optional('windows', windows),
);

/**
 * What is wrong with an observation for this policy, or null. The recommendation and the lifecycle are looked at only
 * where the policy has their spec; quantities only for being text or number.
 */
export function checkObservation(value: unknown, policy: EffectivePolicy): Fault | null {
  return (
    independent(value) ??
    checkMetricCount(value, policy) ??
    object(
      optional('recommendation', policy.recommender === undefined ? () => null : recommendation),
      optional('lifecycle', policy.lifecycle === undefined ? () => null : lifecycle),
      optional('interventions', list(interventionCheck(policy))),
    )(value)
  );
}

function checkMetricCount(value: unknown, { metrics }: EffectivePolicy): Fault | null {
  const observed = isRecord(value) ? value['metrics'] : undefined;
  if (!Array.isArray(observed) || observed.length <= metrics.length) return null;
  const message = `${observed.length} metrics are more than the ${metrics.length} of the policy`;
  return { path: ['metrics', metrics.length], message };
}

function interventionCheck({ minReplicas, family }: EffectivePolicy): Check {
  const lowest = minReplicas === 0 && family === 'hpa' ? 0 : 1;
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
  return byKind({
    Suspend: object(direction, ...common),
    Override: all(override, (value) => (namesSomething(value) ? null : emptyOverride)),
  });
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

/** Pods and samples are many and nearly all alike; the complete check is for those that are not. */
function unlessPlain(isPlain: (value: unknown) => boolean, check: Check): Check {
  return (value) => (isPlain(value) ? null : check(value));
}

function atLeast(lowest: number): Check {
  return (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= lowest
      ? null
      : fault(value, `a whole number of at least ${lowest}`);
}

function hasError(value: unknown): boolean {
  return isRecord(value) && value['error'] !== null && value['error'] !== undefined;
}

/** Prefixes a fault with the part of the input that it is in. */
export function inPart(part: string, found: Fault | null): Fault | null {
  return found === null ? null : below(part, found);
}
