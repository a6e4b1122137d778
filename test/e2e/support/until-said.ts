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

/** Waits until so many passes of the policy have said it, one after the other. @returns the sentence that says it */
export async function untilSaid(controller: ControllerProcess, want: RegExp, passes = 3): Promise<string> {
  let last: readonly string[] = [];
  let after = '';
  const said = async (): Promise<boolean | undefined> => {
    const found = await statusOf(controller);
    if (found === undefined || found.time <= after) return undefined;
    last = sentences(found);
    if (!last.some((text) => want.test(text))) return undefined;
    after = found.time;
    return true;
  };
  for (let pass = 0; pass < passes; pass += 1) {
    await soon(String(want), said).catch((error: unknown) => {
      throw new Error(`${String(want)} is not said, but: ${last.join(' | ')}`, { cause: error });
    });
  }
  return last.find((text) => want.test(text)) ?? '';
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
