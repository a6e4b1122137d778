import type { CaseCount, WatermarkCase } from './watermark-case.ts';

/** The HPA's stabilization, with unwritten windows of 0; recorded only where one is written. */
export function stabilise(
  given: WatermarkCase,
  before: readonly CaseCount[],
  proposal: number,
): { count: number; recommendations: readonly CaseCount[] } {
  const [up, down] = [given.up.stabilization, given.down.stabilization];
  if (up === null && down === null) return { count: proposal, recommendations: before };
  const within = (window: number): readonly number[] =>
    before.filter(({ age }) => age < window).map(({ replicas }) => replicas);
  const least = Math.min(proposal, ...within(up ?? 0));
  const most = Math.max(proposal, ...within(down ?? 0));
  const count = Math.min(Math.max(given.current, least), most);
  const outdated = before.findLastIndex(({ age }) => age > (up ?? 0) && age > (down ?? 0));
  const entry = { replicas: proposal, age: 0 };
  return { count, recommendations: outdated < 0 ? [...before, entry] : before.with(outdated, entry) };
}

/** The HPA's rate policies without their bounds. */
export function rate(given: WatermarkCase, count: number): number {
  const { current } = given;
  if (count === current) return count;
  const isUp = count > current;
  const rules = isUp ? given.up : given.down;
  if (rules.select === 'Disabled') return current;
  if (rules.policies === null) return count;
  const limits = rules.policies.map(({ type, value, periodSeconds }) => {
    const within = (list: readonly CaseCount[]): number =>
      list.filter(({ age }) => age < periodSeconds).reduce((sum, { replicas }) => sum + replicas, 0);
    const start = current - within(given.memory.ups) + within(given.memory.downs);
    if (type === 'Pods') return isUp ? start + value : start - value;
    return isUp ? Math.ceil(start * (1 + value / 100)) : Math.trunc(start * (1 - value / 100));
  });
  const isLargest = isUp === (rules.select !== 'Min');
  const limit = isLargest ? Math.max(...limits) : Math.min(...limits);
  return isUp ? Math.min(count, Math.max(limit, current)) : Math.max(count, Math.min(limit, current));
}

/** Section 8.1. */
export function velocity(
  given: WatermarkCase,
  count: number,
  ready: number,
): { count: number; reason: string } {
  const { current, max } = given;
  const downLimit = current - reach(given.down.limit ?? 20_000, current);
  const upLimit = current + reach(given.up.limit ?? 50_000, current);
  const low = count < downLimit ? keptAtLeast(given, ready, downLimit) : Math.max(1, given.min);
  if (count < low) return { count: low, reason: count < downLimit ? 'ScaleDownLimit' : 'TooFewReplicas' };
  const high = count > upLimit ? Math.min(upLimit, max) : max;
  return { count: Math.min(count, high), reason: count > upLimit ? 'ScaleUpLimit' : 'TooManyReplicas' };
}

function reach(limit: number, current: number): number {
  return limit === 0 ? 0 : Math.max(1, Math.floor(((limit / 1_000) * current) / 100));
}

/** A capped way down is cancelled where fewer pods are ready than the cap. */
function keptAtLeast(given: WatermarkCase, ready: number, downLimit: number): number {
  const cap = Math.max(downLimit, given.min, 1);
  return ready > 0 && ready < cap ? given.current : cap;
}
