import type { Degradation } from '#contracts';
import type { Terminal } from '../run-command.ts';
import { type Ask, RefusedError } from '../server/api-client.ts';
import { onOneLine } from '../server/one-line.ts';
import type { AskingOptions } from '../server/question.ts';

/** Why a list of policies may look better than they are. */
const outages: Readonly<Record<string, string>> = {
  cluster: 'the controller has not reached its cluster',
  ledger: 'the controller has not been able to record anything',
};

/**
 * Tells something beside a list, once for as long as it is the same.
 *
 * @returns what looks whether there is something to tell, and what a screen that is drawn anew shows above the list
 */
export function noteBeside(
  terminal: Terminal,
  options: AskingOptions,
  loadText: (ask: Ask) => Promise<string>,
): { readonly look: (ask: Ask) => Promise<void>; readonly onScreen: () => string } {
  const isRedrawn = options.watch === true && terminal.isScreen === true && options.output === undefined;
  let told = '';
  return {
    look: async (ask) => {
      const text = await loadText(ask);
      if (text !== told && !isRedrawn) terminal.messages.write(text);
      told = text;
    },
    onScreen: () => (isRedrawn ? told : ''),
  };
}

/**
 * Says of a list of policies that the controller cannot carry them out: their latest statuses are of before. Lines; empty:
 * nothing is away.
 */
export async function outageText(ask: Ask): Promise<string> {
  try {
    const { items } = await ask<{ readonly items: readonly Degradation[] }>({ path: '/degraded' });
    return items
      .flatMap(({ what, since, message }) => {
        const outage = Object.hasOwn(outages, what) ? outages[what] : undefined;
        if (outage === undefined) return [];
        const why = message === null ? '' : `: ${onOneLine(message)}`;
        return [`plimsoll: ${outage} since ${onOneLine(since)}${why}\n`];
      })
      .join('');
  } catch (error) {
    // The list itself was answered, and is what was asked for.
    if (error instanceof RefusedError) return '';
    throw error;
  }
}
