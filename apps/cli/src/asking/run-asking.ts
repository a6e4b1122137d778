import { textForScripts, understood } from '../forms/print-answer.ts';
import { refusalText } from '../forms/refusal-text.ts';
import { printableLines, printableTexts } from '../printable.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import { ask, RefusedError } from '../server/api-client.ts';
import { loadContext } from '../server/contexts.ts';
import { type AskingOptions, type Question, scriptedValue, shownText } from '../server/question.ts';
import { UnusableError } from '../unusable-error.ts';

export type { AskingOptions } from '../server/question.ts';

/**
 * Asks, and prints the answer: for scripts as it is, else as `show` has it. Status 1 where the controller refuses, 2 where it
 * refuses the form of what was given.
 */
export async function printAnswer<T>(
  terminal: Terminal,
  options: AskingOptions,
  question: Question<T>,
): Promise<ExitStatus> {
  const context = await loadContext(options.context, terminal.environment);
  try {
    if (options.watch === true) {
      const { watchAnswer } = await import('./watch-answer.ts');
      return await watchAnswer({ context, terminal, options }, question);
    }
    const text = await understood(context.server, async () => {
      const value = await question.load((request) => ask(context, request));
      const text = await textForScripts(scriptedValue(question, value), options.output);
      return text ?? shownText(question, value);
    });
    terminal.output.write(text);
    return 0;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    terminal.messages.write(`plimsoll: ${refusalText(error.problem, options)}\n`);
    const { code, effect } = error.problem;
    if (effect !== undefined) {
      terminal.messages.write(
        printableLines(
          (await import('../forms/describe-effect.ts')).describeEffect(printableTexts(effect), code),
        ),
      );
    }
    return error.problem.status === unusable ? 2 : 1;
  }
}

/** What was given has no form that the controller takes, as where this program refuses it before. */
const unusable = 400;

/** As the API has it, which would name a field for an option that was not given. */
const policyForm = /^([a-z0-9][a-z0-9-]{0,62})\/([a-z0-9][a-z0-9.-]{0,252})$/;

/** `shop/checkout`. @throws UnusableError */
export function policyOf(text: string): { readonly namespace: string; readonly name: string } {
  const [, namespace, name] = policyForm.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  throw new UnusableError(
    `${JSON.stringify(text)} is no policy: NAMESPACE/NAME in lower case, such as shop/checkout`,
  );
}

/** The path of a policy below `/api/v1`. */
export function policyPath(text: string): string {
  const { namespace, name } = policyOf(text);
  return `/policies/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}
