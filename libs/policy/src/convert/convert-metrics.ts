import { type Pair, YAMLMap } from 'yaml';
import type { MetricSpec } from '../model/metric-spec.ts';
import {
  dropNulls,
  findItems,
  findMap,
  findPair,
  keyOf,
  pairOf,
  renamePair,
  setValue,
  takeComments,
  takePair,
  textOf,
  toNode,
} from './yaml-nodes.ts';

/** The field that holds a metric's source. */
export const sourceOf: Readonly<Record<MetricSpec['type'], string>> = {
  Resource: 'resource',
  ContainerResource: 'containerResource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
  Prometheus: 'prometheus',
};

/** Which fields of an older source go where; comments go with them. */
const identifiers = { metricName: 'name', selector: 'selector', metricSelector: 'selector' } as const;
const targets = {
  targetAverageUtilization: 'averageUtilization',
  targetAverageValue: 'averageValue',
  averageValue: 'averageValue',
  targetValue: 'value',
} as const;

/** Rewrites metrics of `autoscaling/v2beta1` as those of v2. */
export function convertOlderMetrics(spec: YAMLMap, metrics: readonly MetricSpec[]): void {
  for (const [index, item] of findItems(spec, 'metrics').entries()) {
    const metric = metrics[index];
    const source = metric === undefined ? undefined : findMap(item, sourceOf[metric.type]);
    if (metric === undefined || source === undefined) continue;
    const described = takePair(source, 'target');
    const identifier = takeInto(source, identifiers, []);
    const target = takeInto(source, targets, [pairOf('type', toNode(metric.target.type))]);
    asRead(target, metric);
    if (described !== undefined) source.items.push(renamePair(described, 'describedObject'));
    if (identifier.items.length > 0) source.items.push(pairOf('metric', identifier));
    source.items.push(pairOf('target', flowAs(target, source)));
  }
}

/** As v2 reads them: quantities are text, and a value of 0 beside an average is no value. */
function asRead(target: YAMLMap, { targetDocument }: MetricSpec): void {
  target.items = target.items.filter((pair) => targetDocument[textOf(pair.key)] !== undefined);
  for (const pair of target.items) setValue(pair, targetDocument[textOf(pair.key)] ?? null);
}

/** Takes a source's fields of those names into a map of their own. */
function takeInto(source: YAMLMap, names: Readonly<Record<string, string>>, first: readonly Pair[]): YAMLMap {
  const map = new YAMLMap();
  map.items.push(...first);
  for (const [name, renamed] of Object.entries(names)) {
    const pair = takePair(source, name);
    if (pair !== undefined) map.items.push(renamePair(pair, renamed));
  }
  return map;
}

/** A map that is written as another one is: in one line, or a line a field. */
function flowAs(map: YAMLMap, like: YAMLMap): YAMLMap {
  if (like.flow === true) map.flow = true;
  return map;
}

/** What a WatermarkPodAutoscaler says that has no place in its native form. */
export interface WatermarkLoss {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Rewrites a WatermarkPodAutoscaler's metrics as native ones, and says what has no place there. `shared` are the
 * document's own `algorithm` and `tolerance`, which every target gets, and the first one their comments.
 */
export function convertWatermarkMetrics(
  spec: YAMLMap,
  metrics: readonly MetricSpec[],
  shared: readonly Pair[],
): readonly WatermarkLoss[] {
  const losses: WatermarkLoss[] = [];
  for (const [index, item] of findItems(spec, 'metrics').entries()) {
    const metric = metrics[index];
    if (metric === undefined) continue;
    const own = sourceOf[metric.type];
    const at = ['spec', 'metrics', index];
    for (const other of ['external', 'resource']) {
      if (other !== own && takePair(item, other) !== undefined) {
        losses.push({
          path: [...at, other],
          message: `${other} is dropped: type ${metric.type} does not read it`,
        });
      }
    }
    const source = findMap(item, own);
    const comments = index === 0 ? shared : [];
    if (source !== undefined) losses.push(...convertSource(source, { metric, comments }, [...at, own]));
  }
  return losses;
}

interface WatermarkSource {
  readonly metric: MetricSpec;
  readonly comments: readonly Pair[];
}

function convertSource(
  source: YAMLMap,
  { metric, comments }: WatermarkSource,
  path: readonly (string | number)[],
): readonly WatermarkLoss[] {
  const losses: WatermarkLoss[] = [];
  const target = takeInto(source, { lowWatermark: 'lowWatermark', highWatermark: 'highWatermark' }, [
    pairOf('type', toNode('Watermark')),
  ]);
  target.items.push(...sharedEntries(metric, comments));
  if (metric.type === 'External') {
    const identifier = takeInto(source, identifiers, []);
    dropNulls(findMap(findMap(identifier, 'selector') ?? identifier, 'matchLabels'));
    source.items.push(pairOf('metric', flowAs(identifier, source)));
  } else {
    const selector = findMap(source, 'metricSelector');
    if ((selector?.items ?? []).some((pair) => findPair(selector ?? new YAMLMap(), textOf(pair.key)))) {
      losses.push({
        path: [...path, 'metricSelector'],
        message: "metricSelector is dropped: samples are matched to the target's own pods",
      });
    }
    takePair(source, 'metricSelector');
  }
  source.items.push(pairOf('target', flowAs(target, source)));
  return losses;
}

/** A tolerance that is the default is not written, unless there is something to say about it. */
function sharedEntries({ targetDocument }: MetricSpec, comments: readonly Pair[]): readonly Pair[] {
  return (['algorithm', 'tolerance'] as const).flatMap((name) => {
    const value = targetDocument[name] ?? sharedDefaults[name];
    const commented = comments.find((pair) => keyOf(pair) === name);
    if (commented !== undefined) return [takeComments(pairOf(name, toNode(value)), commented)];
    return name === 'tolerance' && value === sharedDefaults.tolerance ? [] : [pairOf(name, toNode(value))];
  });
}

const sharedDefaults = { algorithm: 'absolute', tolerance: '0.1' } as const;
