import type { MetricSpec } from '../model/metric-spec.ts';
import type { Fields } from '../reading/fields.ts';
import { isMap } from '../reading/is-map.ts';
import type { Finding, Place } from '../reading/place.ts';
import { showValue } from '../reading/show-value.ts';
import type { WrittenBehavior } from '../rules/behavior.ts';
import { targetSchemas } from '../schema/metrics.ts';
import type { ReadContext } from './read-context.ts';

/** What only means something beside a mark or a recommendation. */
const watermarkOnly = [
  'replicaStep',
  'convergeTowards',
  'tolerateZero',
  'minAvailablePercent',
  'readinessDelaySeconds',
] as const;

/** Refuses what a policy of the HPA family has no rule for: it would do nothing, in silence. */
export function checkFamily(spec: Fields, behavior: WrittenBehavior | undefined): void {
  if (mayBeWatermark(spec)) return;
  const hint = 'it needs a metric with target.type: Watermark, or a recommender';
  for (const name of watermarkOnly) {
    if (spec.has(name))
      spec.report(name, { code: 'Forbidden', message: `${name} does nothing in this policy`, hint });
  }
  for (const direction of ['scaleUp', 'scaleDown'] as const) {
    const seconds = behavior?.[direction].delaySeconds ?? 0;
    const place = spec.place.child('behavior').child(direction).child('delaySeconds');
    const message = `delaySeconds ${seconds} does nothing in this policy`;
    if (seconds > 0) place.report({ code: 'Forbidden', message, hint });
  }
}

/** By what is written, right or wrong otherwise: an error in the metric with the marks is not one of these fields, too. */
function mayBeWatermark(spec: Fields): boolean {
  const metrics = spec.raw('metrics');
  if (spec.has('recommender')) return true;
  if (metrics === undefined) return false;
  return !Array.isArray(metrics) || !metrics.every(isOfHpa);
}

/** Whether a metric's target is known to have no marks. */
function isOfHpa(metric: unknown): boolean {
  const sources = isMap(metric) ? Object.values(metric).filter(isMap) : [];
  return sources.length > 0 && sources.every(({ target }) => isMap(target) && hpaTypes.has(target['type']));
}

const hpaTypes: ReadonlySet<unknown> = new Set(targetSchemas['autoscaling/v2'].properties.type.enum);

/** Refuses what a rendered HorizontalPodAutoscaler cannot say. */
export function checkRendering(
  spec: Fields,
  behavior: WrittenBehavior | undefined,
  context: ReadContext,
): void {
  for (const name of ['recommender', 'lifecycle'] as const)
    if (spec.has(name)) spec.report(name, notExpressible(name));
  if (spec.raw('selectionStrategy') === 'OwnerReference' && context.rendersSelectionStrategy !== true)
    spec.report('selectionStrategy', notExpressible('selectionStrategy: OwnerReference'));
  for (const { direction, field } of behavior?.ownFields ?? [])
    spec.place.child('behavior').child(direction).child(field).report(notExpressible(field));
  forEachMetric(spec, checkRenderedMetric);
}

function checkRenderedMetric(metric: Readonly<Record<string, unknown>>, place: Place): void {
  if (metric['type'] === 'Prometheus') place.child('type').report(notExpressible('a Prometheus metric'));
  for (const [field, source] of Object.entries(metric)) {
    const target = isMap(source) ? source['target'] : undefined;
    if (!isMap(target)) continue;
    const at = place.child(field).child('target');
    if (target['type'] === 'Watermark') at.child('type').report(notExpressible('a Watermark target'));
    else if (target['tolerance'] !== undefined && target['tolerance'] !== null)
      at.child('tolerance').report(notExpressible("a metric's tolerance"));
  }
}

function notExpressible(what: string): Finding {
  return {
    code: 'NotExpressible',
    message: `autoscaling/v2 cannot express ${what}`,
    hint: 'use actuation: Scale, or leave it out',
  };
}

/** Refuses servers that the configuration does not know. */
export function checkServers(spec: Fields, metrics: readonly MetricSpec[], known: ReadonlySet<string>): void {
  const isUsed = metrics.some((metric) => metric.type === 'Prometheus' && !known.has(metric.server));
  if (!isUsed) return;
  const hint = known.size === 0 ? 'none is configured' : `configured are ${[...known].join(', ')}`;
  forEachMetric(spec, (metric, place) => {
    const source = metric['prometheus'];
    const server = isMap(source) ? source['server'] : undefined;
    if (typeof server !== 'string' || known.has(server)) return;
    const message = `server ${showValue(server)} is no Prometheus server of the configuration`;
    place.child('prometheus').child('server').report({ code: 'NotSupported', message, hint });
  });
}

function forEachMetric(
  spec: Fields,
  visit: (metric: Readonly<Record<string, unknown>>, place: Place) => void,
): void {
  const metrics = spec.raw('metrics');
  if (!Array.isArray(metrics)) return;
  const place = spec.place.child('metrics');
  for (const [index, metric] of (metrics as readonly unknown[]).entries())
    if (isMap(metric)) visit(metric, place.child(index));
}
