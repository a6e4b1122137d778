import { QuietLines } from '../../logging/quiet-lines.ts';
import type { SignInRefusal } from './browser-sign-in.ts';

export interface SignInRefusalLogOptions {
  readonly log: (fields: object, message: string) => void;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
}

/** Logs who is not let in by the OpenID provider, and why: the page of the sign-in says it in general words alone. */
export class SignInRefusalLog {
  readonly #log: SignInRefusalLogOptions['log'];
  /** By caller or reason. */
  readonly #lines: QuietLines;

  constructor({ log, now }: SignInRefusalLogOptions) {
    this.#log = log;
    this.#lines = new QuietLines(now);
  }

  readonly report = (refusal: SignInRefusal): void => {
    const alike = this.#lines.tell(`${refusal.code} ${subjectOf(refusal)}`);
    if (alike !== null) this.#log({ ...refusal, alike }, 'a sign-in with OpenID was refused');
  };
}

function subjectOf(refusal: SignInRefusal): string {
  if ('reason' in refusal) return refusal.reason;
  return 'caller' in refusal ? (refusal.caller ?? '') : '';
}
