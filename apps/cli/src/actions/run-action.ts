import type { ActionPreview } from '#contracts';
import { type AskingOptions, printAnswer } from '../asking/run-asking.ts';
import { describeEffect } from '../forms/describe-effect.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import type { ApiRequest, Ask } from '../server/api-client.ts';

/** Options that every action has, and those of some. */
export interface ActionOptions extends AskingOptions {
  readonly reason?: string;
  readonly dryRun?: boolean;
  readonly confirm?: string;
  readonly for?: string;
  readonly until?: string;
  readonly namespace?: string;
  readonly source?: string;
  readonly metricSource?: string;
  readonly cluster?: boolean;
  readonly direction?: string;
  readonly min?: string;
  readonly max?: string;
  readonly replicas?: string;
  readonly force?: boolean;
}

/** An action as the API is asked for it. */
export interface AskedAction extends ApiRequest {
  /** What it says when it is done. */
  readonly done: (answer: Readonly<Record<string, unknown>>) => string;
  /** What the command ends with when it is done; absent: 0. */
  readonly status?: (answer: Readonly<Record<string, unknown>>) => ExitStatus;
  /** The source that it is of, which refusals name; absent: that of the options. */
  readonly source?: string;
  /** Writes out what was named by its first digits; absent: nothing may be. */
  readonly whole?: (ask: Ask) => Promise<ApiRequest>;
}

type Answered = Readonly<Record<string, unknown>> | ActionPreview;

/** Carries an action out, or says what it would do. */
export async function carryOut(
  { done, status, whole, source, ...request }: AskedAction,
  options: ActionOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { dryRun, confirm } = options;
  const query = { ...request.query, ...(dryRun === true ? { dryRun: 'true' } : {}), confirm };
  let result: ExitStatus = 0;
  const asked = await printAnswer<Answered>(
    terminal,
    source === undefined ? options : { ...options, source },
    {
      load: async (ask) => {
        const answer = await ask<Answered>({ ...request, ...(await whole?.(ask)), query });
        if (!isPreview(answer)) result = status?.(answer) ?? 0;
        return answer;
      },
      show: (answer) => (isPreview(answer) ? describeEffect(answer.effect) : `${done(answer)}\n`),
    },
  );
  return asked === 0 ? result : asked;
}

function isPreview(answer: Answered): answer is ActionPreview {
  return Object.keys(answer).join() === 'effect';
}
