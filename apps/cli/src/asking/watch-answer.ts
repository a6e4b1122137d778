import { setTimeout as wait } from 'node:timers/promises';
import { jsonText, textForScripts, understood } from '../forms/print-answer.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import { ask, type KnownAnswers, UnknownTokenError } from '../server/api-client.ts';
import type { KeptContext } from '../server/contexts.ts';
import { type AskingOptions, type Question, scriptedValue, shownText } from '../server/question.ts';
import { UnusableError } from '../unusable-error.ts';

const usualPollMilliseconds = 2_000;

/** The top left corner, and nothing on the screen. */
const cleared = '\u001B[H\u001B[2J';

/** Where a question is watched. */
interface Watch {
  readonly context: KeptContext;
  readonly terminal: Terminal;
  readonly options: AskingOptions;
}

/**
 * Asks again and again until it is interrupted, and prints what has changed: on a screen the whole anew, elsewhere the lines
 * that are new, or, of one text, the whole after an empty line, in JSON one line per answer. What has not changed is not sent. A controller that goes away meanwhile is
 * waited for, and when it answers again that is seen, whether or not anything has changed.
 *
 * @throws RefusedError; UnknownTokenError; UnusableError where the first question has no answer
 */
export async function watchAnswer<T>(
  watch: Watch,
  question: Question<T>,
  pollMilliseconds = usualPollMilliseconds,
): Promise<ExitStatus> {
  const { context, terminal } = watch;
  const signal = terminal.whenInterrupted?.() ?? new AbortController().signal;
  const isOver = (): boolean => signal.aborted;
  let known: KnownAnswers = new Map();
  let printed: string | null = null;
  let isAway = false;
  while (!isOver()) {
    const found: KnownAnswers = new Map();
    try {
      const text = await understood(context.server, async () => {
        const value = await question.load((request) => ask(context, request, { known, found, signal }));
        return textOf(value, watch, question);
      });
      if (isAway) printed = whatStandsThere(printed, watch);
      if (text !== printed) terminal.output.write(shown(text, { printed, question }, watch));
      [known, printed, isAway] = [found, text, false];
    } catch (error) {
      if (isOver()) break;
      const message = reasonToWait(error, printed);
      if (!isAway) terminal.messages.write(`plimsoll: ${message}; trying again\n`);
      isAway = true;
    }
    await wait(pollMilliseconds, undefined, { signal }).catch(() => undefined);
  }
  return 0;
}

/** Once a controller answers again: a screen is printed anew, since that it is away would stand there as before. */
function whatStandsThere(printed: string | null, { context, terminal }: Watch): string | null {
  if (terminal.isScreen === true) return null;
  terminal.messages.write(`plimsoll: ${context.server} answers again\n`);
  return printed;
}

/** Only what was there before may come back, and a token does not. @throws what is no reason */
function reasonToWait(error: unknown, printed: string | null): string {
  const mayComeBack = error instanceof UnusableError && !(error instanceof UnknownTokenError);
  if (mayComeBack && printed !== null) return error.message;
  throw error;
}

async function textOf<T>(value: T, { options }: Watch, question: Question<T>): Promise<string> {
  const scripted = scriptedValue(question, value);
  if (options.output === 'json') return `${jsonText(scripted)}\n`;
  const text = await textForScripts(scripted, options.output);
  return text === null ? shownText(question, value) : `---\n${text}`;
}

/** On a screen, for scripts and of one text the whole, else the lines that were not there before. */
function shown(
  text: string,
  {
    printed,
    question,
  }: { readonly printed: string | null; readonly question: Pick<Question<never>, 'isOneText'> },
  { options, terminal }: Watch,
): string {
  if (terminal.isScreen === true) return cleared + text;
  if (printed === null || options.output !== undefined) return text;
  if (question.isOneText === true) return `\n${text}`;
  // A column that has become wider for a new row moves what is known.
  const known = new Set(printed.split('\n').map(withoutPadding));
  const lines = text.split('\n').filter((line) => !known.has(withoutPadding(line)));
  return lines.map((line) => `${line}\n`).join('');
}

function withoutPadding(line: string): string {
  return line.replaceAll(/ {2,}/g, ' ');
}
