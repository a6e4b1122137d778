import type { ControllerProcess } from './controller-process.ts';
import { soon } from './soon.ts';

/** Waits until the policy of the checkout has been looked at so many times more. */
export async function untilPasses(running: ControllerProcess, count: number): Promise<void> {
  const seen = new Set<string>();
  await soon(`${count} more passes`, async () => {
    const answer = await running.query<{
      readonly policy: { readonly status: { readonly time: string } | null } | null;
    }>('{ policy(namespace: "shop", name: "checkout") { status { time } } }');
    const time = answer.policy?.status?.time;
    if (time !== undefined) seen.add(time);
    return seen.size > count || undefined;
  });
}
