import { isJsonObject, type JsonObject } from '#kernel';
import type { EffectivePolicy } from '#policy';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { Reconciler } from '../reconciler.ts';
import { World } from './a-world.ts';

export const key = 'shop/checkout';
export const hpaName = { namespace: 'shop', name: 'checkout' };
export const rendered = { actuation: 'HorizontalPodAutoscaler' } as const;

/** A rendered policy, and what carries it out. */
export interface RenderedFixture {
  readonly world: World;
  readonly checkout: ActivePolicy;
  readonly reconciler: Reconciler;
}

/** A rendered policy over 4 replicas, before its first pass. */
export async function aRenderedPolicy(changes: Partial<EffectivePolicy> = {}): Promise<RenderedFixture> {
  const world = new World();
  const checkout = world.add({ ...rendered, ...changes }, 4);
  world.proposes(checkout, 4);
  return { world, checkout, reconciler: await world.start() };
}

/** So many passes, each an interval later. */
export async function passes(world: World, reconciler: Reconciler, count: number): Promise<void> {
  for (let pass = 0; pass < count; pass += 1) await world.pass(reconciler);
}

/** The same policy in another version. */
export function change(
  world: World,
  { policy, ...rest }: ActivePolicy,
  changes: Partial<EffectivePolicy>,
): void {
  world.activePolicies.policies = [{ ...rest, policy: { ...policy, ...changes } }];
}

/** The spec of the policy's HPA. */
export function specOf(world: World): JsonObject {
  const spec = world.nativeAutoscalers.document(hpaName)?.['spec'];
  if (!isJsonObject(spec)) throw new Error('there is no HPA');
  return spec;
}

/** `Create → Applied` for each write that is recorded. */
export function actuations(world: World): string[] {
  return world.ledger
    .payloadsOf('ActuationOutcome')
    .map((payload) => `${payload['verb'] as string} → ${payload['result'] as string}`);
}

/** What the last pass came to. */
export const last = (world: World): string | undefined => world.reports.outcomesOf(key).at(-1);
export const lastMessage = (world: World): string | undefined =>
  world.reports.reports.at(-1)?.outcome.message;
