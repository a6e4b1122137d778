import {
  type CurrentValue,
  type Decision,
  describeIntervention,
  type Intervention,
  latestPin,
  type MetricReport,
  type OverrideIntervention,
  type RuleId,
} from '#decision';
import { type Json, namespacedName } from '#kernel';
import type { PolicyOrigin } from '../policies/active-policy.ts';

/** As many characters of a commit's hash as a person wants to see. */
const shortHashLength = 7;

/** Why a policy that was disabled is written. */
export const restoreReason = 'the policy was disabled: its replicas are restored';

/**
 * Why a count is written, as its entries say: of one that an override names, as the count or as the bound that the count was
 * corrected to, by whom and why (`Override by ann: incident 7`); else the decision's reason.
 */
export function writtenReason(
  decision: Pick<Decision, 'reason' | 'time' | 'steps' | 'desiredReplicas'>,
  interventions: readonly Intervention[],
): string {
  const override = overrideBehind(decision, interventions);
  return override === null
    ? decision.reason
    : `Override by ${override.actor ?? 'nobody named'}: ${override.reason ?? 'no reason given'}`;
}

/** The override that names the count, or the bound that it was corrected to; null: none does. */
export function overrideBehind(
  decision: Pick<Decision, 'reason' | 'time' | 'steps' | 'desiredReplicas'>,
  interventions: readonly Intervention[],
): OverrideIntervention | null {
  const { reason, time } = decision;
  const acting = interventions.filter(
    (each): each is OverrideIntervention =>
      each.kind === 'Override' && Date.parse(each.expires) > Date.parse(time),
  );
  return reason === 'Override' ? latestPin(acting) : latestBound(acting, decision);
}

/** Of overrides the one set last whose bound the count was corrected to; null: metrics made the count, or no override did. */
function latestBound(
  overrides: readonly OverrideIntervention[],
  { steps, desiredReplicas }: Pick<Decision, 'steps' | 'desiredReplicas'>,
): OverrideIntervention | null {
  if (desiredReplicas === null || !steps.some(({ rule }) => rule === 'min-max-correction')) return null;
  const bounding = overrides.filter(
    ({ minReplicas, maxReplicas }) => minReplicas === desiredReplicas || maxReplicas === desiredReplicas,
  );
  return latestPin(bounding.map((each) => ({ ...each, replicas: desiredReplicas })));
}

/** What a change of a count comes by. */
export interface ScalingCause {
  readonly origin: PolicyOrigin;
  /** The override that the count is of; null: no operator named it. */
  readonly override: OverrideIntervention | null;
  /** A policy that was disabled decides nothing: the count that is put back then; null: it decides. */
  readonly restored: number | null;
}

/**
 * The line for a person: who, from where to where, why, and which commit allowed it, or whose override until when.
 *
 * Example: `shop/checkout 4 → 6  cpu 83 % of request, target 60 %  (a1b2c3d Add checkout policy)`.
 */
export function describeScaling(decision: Decision, { origin, override, restored }: ScalingCause): string {
  const { currentReplicas, desiredReplicas } = decision;
  const change = `${String(currentReplicas ?? '?')} → ${String(restored ?? desiredReplicas ?? '?')}`;
  if (restored === null && override !== null)
    return `${namespacedName(decision.policy)} ${change}  ${describeIntervention(override)}`;
  const cause = restored === null ? describeCause(decision) : restoreReason;
  const commit = `${origin.commit.hash.slice(0, shortHashLength)} ${origin.commit.subject}`.trimEnd();
  return `${namespacedName(decision.policy)} ${change}  ${cause}  (${commit})`;
}

/**
 * Why a decision came out as it did, in a few words: the metric that won, and the rules that made another count of its
 * proposal, in their order, if any did; without metrics the decision's own reason.
 */
export function describeCause(decision: Decision): string {
  const metric = winnerOf(decision.metrics);
  if (metric === undefined) return decision.reason;
  const described = metric.type === 'Recommender' ? describeAdvice(metric, decision) : describeMetric(metric);
  const cause = `${described}${describePods(metric, decision.currentReplicas)}`;
  const changes = changesAfter(decision, metric.proposedReplicas);
  if (changes.length === 0) return cause;
  const rules = changes.map(({ rule, after }) => `${rule} makes it ${String(after)}`);
  return `${cause}, asks for ${String(metric.proposedReplicas)}, ${rules.join(', ')}`;
}

/** The rules that a metric's proposal comes from. */
const metricRules: ReadonlySet<RuleId> = new Set([
  'invalid-metric',
  'zero-value',
  'proposal',
  'tolerance',
  'converge',
  'replica-step',
  'highest-proposal',
]);

/** The steps after the proposal that made another count, where the result is not the proposal. */
function changesAfter({ steps, desiredReplicas }: Decision, proposal: number | null): Decision['steps'] {
  if (proposal === desiredReplicas) return [];
  const proposed = steps.findLastIndex(({ rule }) => metricRules.has(rule));
  return steps.slice(proposed + 1).filter(({ before, after }) => before !== after);
}

/** The first of the highest proposals, as `decide` takes it. */
function winnerOf(metrics: readonly MetricReport[]): MetricReport | undefined {
  let winner: MetricReport | undefined;
  for (const metric of metrics) {
    if (metric.proposedReplicas === null) continue;
    if (winner === undefined || metric.proposedReplicas > (winner.proposedReplicas ?? 0)) winner = metric;
  }
  return winner;
}

/** What the recommender answered, in the words of the step, which has its count, its bounds and its reason. */
function describeAdvice(metric: MetricReport, { steps }: Decision): string {
  const proposal = steps.find(({ rule }) => rule === 'proposal');
  return proposal === undefined ? describeMetric(metric) : `${metric.name}: ${proposal.because}`;
}

function describeMetric({ type, name, target, current }: MetricReport): string {
  const subject = type === 'ContainerResource' ? describeContainer(name) : name;
  if (target['type'] === 'Watermark') return `${subject} ${figureOf(current)}, ${describeMarks(target)}`;
  if (current.averageUtilization !== undefined)
    return `${subject} ${current.averageUtilization} % of request, target ${textOf(target['averageUtilization'])} %`;

  if (current.averageValue !== undefined)
    return `${subject} ${current.averageValue} per ${unitOf(type)}, target ${textOf(target['averageValue'])}`;

  return `${subject} ${figureOf(current)}, target ${textOf(target['value'] ?? target['averageValue'])}`;
}

/**
 * Which pods the metric counts, where they are not exactly the replicas: a count of more or fewer pods than replicas can
 * grow below its target, and shrink above it. Pods without a trusted sample dampen the change, so its direction says how
 * they are taken.
 *
 * Example: ` (3 pods counted for 5 replicas, 1 without a sample taken as idle, 1 not ready taken as idle)`.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "From a ratio to replicas"
 */
function describePods(metric: MetricReport, replicas: number | null): string {
  const { ready, missing, unready, ignored } = metric.pods;
  const others = missing.length + unready.length + ignored.length;
  if (replicas === null || ready.length + others === 0) return '';
  if (ready.length === replicas && others === 0) return '';
  const direction = directionOf(metric, replicas);
  const parts = [
    `${ready.length === 1 ? '1 pod' : `${ready.length} pods`} counted for ${replicas === 1 ? '1 replica' : `${replicas} replicas`}`,
    ...some(missing, `without a sample${missingAs[direction]}`),
    ...some(unready, `not ready ${direction === 'Up' ? 'taken as idle' : 'left out'}`),
    ...some(ignored, 'ignored'),
  ];
  return ` (${parts.join(', ')})`;
}

const missingAs = { Up: ' taken as idle', Down: ' taken as fully used', None: '' } as const;

/** Only against a target per pod are pods filled in. */
function directionOf(
  { type, target, proposedReplicas }: MetricReport,
  replicas: number,
): 'Up' | 'Down' | 'None' {
  const isPerPod = type === 'Resource' || type === 'ContainerResource' || type === 'Pods';
  if (!isPerPod || target['type'] === 'Watermark' || proposedReplicas === null) return 'None';
  if (proposedReplicas === replicas) return 'None';
  return proposedReplicas > replicas ? 'Up' : 'Down';
}

function some(pods: readonly string[], what: string): readonly string[] {
  return pods.length === 0 ? [] : [`${pods.length} ${what}`];
}

/** Values that come from no pod are divided by the count. */
function unitOf(type: MetricReport['type']): string {
  return type === 'Object' || type === 'External' || type === 'Prometheus' ? 'replica' : 'pod';
}

/** `application/memory` → `memory of application`. */
function describeContainer(name: string): string {
  const slash = name.indexOf('/');
  return slash < 0 ? name : `${name.slice(slash + 1)} of ${name.slice(0, slash)}`;
}

function describeMarks(target: MetricReport['target']): string {
  const [low, high] = [target['lowWatermark'], target['highWatermark']];
  if (low === undefined || high === undefined || low === high) return `watermark ${textOf(low ?? high)}`;
  return `watermarks ${textOf(low)} to ${textOf(high)}`;
}

function figureOf({ value, averageValue, averageUtilization }: CurrentValue): string {
  const figure = value ?? averageValue ?? averageUtilization;
  return figure === undefined ? 'unknown' : String(figure);
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown';
}
