import type { ControllerProcess } from './controller-process.ts';
import { soon } from './soon.ts';

/** What the latest pass of the one policy came to. */
interface Status {
  readonly outcome: string;
  readonly reason: string;
  readonly message: string;
  readonly time: string;
  readonly conditions: readonly { readonly type: string; readonly message: string }[];
}

const statusQuery = `{ policies(first: 1) { edges { node {
  status { outcome reason message time conditions { type message } }
} } } }`;

/** Waits until the policy says it, and for two more passes that see the same. @returns the sentence that says it */
export async function untilSaid(controller: ControllerProcess, want: RegExp): Promise<string> {
  let last: readonly string[] = [];
  const said = async (after: string): Promise<Status | undefined> => {
    const found = await statusOf(controller);
    if (found === undefined || found.time <= after) return undefined;
    last = sentences(found);
    return last.some((text) => want.test(text)) ? found : undefined;
  };
  const say = async (after: string): Promise<Status> =>
    soon(String(want), () => said(after)).catch((error: unknown) => {
      throw new Error(`${String(want)} is not said, but: ${last.join(' | ')}`, { cause: error });
    });
  const first = await say('');
  const second = await say(first.time);
  const third = await say(second.time);
  return sentences(third).find((text) => want.test(text)) ?? '';
}

async function statusOf(controller: ControllerProcess): Promise<Status | undefined> {
  const { policies } = await controller.query<{
    policies: { edges: readonly { node: { status: Status | null } }[] };
  }>(statusQuery);
  return policies.edges[0]?.node.status ?? undefined;
}

function sentences({ outcome, reason, message, conditions }: Status): readonly string[] {
  return [
    `${outcome} ${reason} ${message}`,
    ...conditions.map((condition) => `${condition.type} ${condition.message}`),
  ];
}
