import type { SignInRefusal } from './browser-sign-in.ts';

/** At most one line per minute for each caller or reason, so that who tries again and again does not fill the disk. */
const quietMilliseconds = 60_000;

/** Callers and reasons that are remembered; beyond them each may be told again. */
const maximumRemembered = 1_000;

export interface SignInRefusalLogOptions {
  readonly log: (fields: object, message: string) => void;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
}

interface Told {
  readonly time: number;
  readonly silent: number;
}

/** Logs who is not let in by the OpenID provider, and why: the page of the sign-in says it in general words alone. */
export class SignInRefusalLog {
  readonly #options: SignInRefusalLogOptions;
  readonly #told = new Map<string, Told>();

  constructor(options: SignInRefusalLogOptions) {
    this.#options = options;
  }

  readonly report = (refusal: SignInRefusal): void => {
    const key = `${refusal.code} ${subjectOf(refusal)}`;
    const now = this.#options.now();
    const told = this.#told.get(key);
    if (told !== undefined && now - told.time < quietMilliseconds) {
      this.#told.set(key, { ...told, silent: told.silent + 1 });
      return;
    }
    if (this.#told.size >= maximumRemembered) this.#told.clear();
    this.#told.set(key, { time: now, silent: 0 });
    this.#options.log({ ...refusal, alike: told?.silent ?? 0 }, 'a sign-in with OpenID was refused');
  };
}

function subjectOf(refusal: SignInRefusal): string {
  if ('reason' in refusal) return refusal.reason;
  return 'caller' in refusal ? (refusal.caller ?? '') : '';
}
