import { TestEnvironment } from 'jest-environment-node';

/** What a failure is told with has to be read in a log. */
const mostCharacters = 6_000;

/**
 * Tells with a failure what `globalThis.shownByPages` gives, before a hook closes the pages: of a failure on another
 * machine nothing else is left to look at.
 */
export default class TellingEnvironment extends TestEnvironment {
  async handleTestEvent({ name, error }) {
    if (name !== 'test_fn_failure' || typeof error?.stack !== 'string') return;
    const shown = await this.global.shownByPages?.().catch(String);
    if (shown === undefined) return;
    const { message } = error;
    error.message = `${message}\n\nWhat pages show:\n${shown.slice(0, mostCharacters)}\n`;
    error.stack = error.stack.replace(message, () => error.message);
  }
}
