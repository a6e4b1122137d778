import { err, type Milli, milliValue, ok, parseMilli, parseQuantity, type Result, toMilli } from '#kernel';
import type { ObservedContainer, ObservedPod, Optional, ResourceQuantities } from '../model/observation.ts';
import { addMilli } from './exact-sum.ts';
import { isQuantityText } from './pod-readings.ts';

/** Which request a utilisation is measured against. */
export interface RequestQuery {
  readonly resource: string;
  /** Null: all containers, or the pod-level request. */
  readonly container: string | null;
  /** The PodLevelResources gate. */
  readonly allowsPodLevel: boolean;
}

/**
 * What a pod requests of a resource, in milli-units rounded up per container (once for a pod-level sum). A missing
 * request is an error, since there is no utilization without it.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
 */
export function podRequest(pod: ObservedPod, query: RequestQuery): Result<Milli, string> {
  const { container, allowsPodLevel } = query;
  if (container !== null) return containerRequest(pod, { ...query, container });
  if (allowsPodLevel && hasPodLevelRequests(pod.resources?.requests))
    return podLevelRequest(pod, query.resource);
  return sumOfContainers(pod, query.resource);
}

/** Of every container and sidecar; each needs a request. */
function sumOfContainers(pod: ObservedPod, resource: string): Result<Milli, string> {
  let sum: Milli = 0;
  for (const each of pod.containers ?? []) {
    const request = requestOf(pod, each, resource);
    if (typeof request === 'string') return err(request);
    sum = addMilli(sum, request);
  }
  for (const each of pod.initContainers ?? []) {
    if (!isSidecar(each)) continue;
    const request = requestOf(pod, each, resource);
    if (typeof request === 'string') return err(request);
    sum = addMilli(sum, request);
  }
  return ok(sum);
}

function containerRequest(
  pod: ObservedPod,
  { container, resource }: { container: string; resource: string },
): Result<Milli, string> {
  const sidecars = (pod.initContainers ?? []).filter(isSidecar);
  const named = [...(pod.containers ?? []), ...sidecars].find(({ name }) => name === container);
  if (named === undefined) return err(`container ${container} not found in Pod ${pod.name}`);
  const request = requestOf(pod, named, resource);
  return typeof request === 'string' ? err(request) : ok(request);
}

/** The request, or what is wrong with it. */
function requestOf(
  pod: ObservedPod,
  { name, requests }: ObservedContainer,
  resource: string,
): Milli | string {
  const text = requests?.[resource];
  if (!isQuantityText(text))
    return `missing request for ${resource} in container ${name ?? ''} of Pod ${pod.name}`;
  return parseMilli(text) ?? badRequest(pod, name ?? '', resource);
}

function isSidecar({ restartPolicy }: ObservedContainer): boolean {
  return restartPolicy === 'Always';
}

/** Pod-level requests count as set when they name something that can be requested there. */
function hasPodLevelRequests(requests: Optional<ResourceQuantities>): boolean {
  if (requests === null || requests === undefined) return false;
  return Object.keys(requests).some((name) => isPodLevelResource(name) && isQuantityText(requests[name]));
}

function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** The scheduler's sum: the pod's own request, else what its containers and the largest init step need together. */
function podLevelRequest(pod: ObservedPod, resource: string): Result<Milli, string> {
  const own = isPodLevelResource(resource) ? pod.resources?.requests?.[resource] : undefined;
  if (isQuantityText(own)) {
    const milli = parseMilli(own);
    return milli === undefined ? err(badRequest(pod, 'its pod-level requests', resource)) : ok(milli);
  }
  const nano = aggregateNano(pod, resource);
  if (nano === 'invalid') return err(badRequest(pod, 'some container', resource));
  if (nano === undefined) return err(`missing pod-level request for ${resource} in Pod ${pod.name}`);
  const milli = milliValue({ mantissa: nano, exponent: -9, format: 'DecimalSI' });
  return milli === undefined ? err(badRequest(pod, 'the sum', resource)) : ok(toMilli(milli));
}

/** In billionths, since these quantities are summed exactly and rounded once. */
function aggregateNano(pod: ObservedPod, resource: string): bigint | 'invalid' | undefined {
  let running: bigint | undefined;
  let sidecars: bigint | undefined;
  let largestStep: bigint | undefined;
  for (const each of pod.containers ?? []) {
    const nano = nanoOf(each, resource);
    if (nano === 'invalid') return 'invalid';
    running = plus(running, nano);
  }
  for (const each of pod.initContainers ?? []) {
    const nano = nanoOf(each, resource);
    if (nano === 'invalid') return 'invalid';
    const sidecar = isSidecar(each);
    if (sidecar) {
      running = plus(running, nano);
      sidecars = plus(sidecars, nano);
    }
    largestStep = greater(largestStep, sidecar ? sidecars : plus(sidecars, nano));
  }
  return greater(running, largestStep);
}

function nanoOf({ requests }: ObservedContainer, resource: string): bigint | 'invalid' | undefined {
  const text = requests?.[resource];
  if (!isQuantityText(text)) return undefined;
  const quantity = parseQuantity(text);
  if (!quantity.ok || milliValue(quantity.value) === undefined) return 'invalid';
  return quantity.value.mantissa * 10n ** BigInt(quantity.value.exponent + 9);
}

function plus(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined ? b : a + (b ?? 0n);
}

function greater(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}

function badRequest({ name }: ObservedPod, place: string, resource: string): string {
  return `the request for ${resource} in ${place} of Pod ${name} is no quantity within int64 milli-units`;
}
