import type { Logger } from 'pino';
import {
  changedSettings,
  type Configuration,
  type ConfigurationErrors,
  configurationErrorText,
  isReloadable,
} from '#configuration';
import { messageOf, type Result } from '#kernel';
import { shownReason } from '../logging/shown-reason.ts';

/** What came of a look at the configuration that found a change. */
export type ReloadResult = 'applied' | 'invalid' | 'restart_needed' | 'failed';

/** Something of the running controller that follows the configuration. */
export interface Reconfigurable {
  /**
   * Does what may fail before anything is applied: what it takes must be harmless where the rest fails.
   *
   * @throws AdapterError where the change cannot be applied now.
   */
  readonly prepare?: (configuration: Configuration) => Promise<void>;
  /** Follows the configuration from now on; must not throw. */
  readonly apply: (configuration: Configuration) => void;
}

export interface ConfigurationReloadOptions {
  /** The one that the controller was started with. */
  readonly configuration: Configuration;
  /** Reads file and environment anew; absent: a controller without a file. */
  readonly load: (() => Promise<Result<Configuration, ConfigurationErrors>>) | undefined;
  readonly parts: readonly Reconfigurable[];
  /** RFC 3339. */
  readonly now: () => string;
  readonly logger: Logger;
}

/** The log names this many problems of a file. */
const maximumLoggedProblems = 20;

/**
 * Applies changes of the configuration while the controller runs: all of a change or nothing of it. What is invalid, or
 * needs a restart, is told once, and the configuration before it stays in force.
 */
export class ConfigurationReload {
  readonly #options: ConfigurationReloadOptions;
  readonly #counts = new Map<ReloadResult, number>();
  #current: Configuration;
  /** Of the latest look that found a change which is not applied. */
  #told = '';
  #unappliedSince: string | null = null;
  #unappliedReason: string | null = null;

  constructor(options: ConfigurationReloadOptions) {
    this.#options = options;
    this.#current = options.configuration;
  }

  /** The configuration in force. */
  get current(): Configuration {
    return this.#current;
  }

  /** Since when the file says something that is not in force, RFC 3339; null: it is. */
  get unappliedSince(): string | null {
    return this.#unappliedSince;
  }

  /** Why, in one line for every viewer: without values, of which one may be a secret in the wrong place. Null: it is in force. */
  get unappliedReason(): string | null {
    return this.#unappliedReason;
  }

  /** Since the start, by result. */
  get counts(): ReadonlyMap<ReloadResult, number> {
    return this.#counts;
  }

  /** Looks at the configuration, and applies what has changed. Never two at a time. */
  readonly reload = async (): Promise<void> => {
    const loaded = await this.#options.load?.();
    if (loaded === undefined) return;
    if (!loaded.ok) {
      const problems = loaded.error.slice(0, maximumLoggedProblems).map(configurationErrorText);
      this.#unappliedReason = reasonOf(loaded.error);
      this.#tell('invalid', { problems }, 'the changed configuration is invalid; the one before it stays');
      return;
    }
    const changed = changedSettings(this.#current, loaded.value);
    if (changed.length === 0) {
      this.#settle();
      return;
    }
    const settings = changed.filter((setting) => needsRestart(setting, loaded.value));
    if (settings.length > 0) {
      const message = 'the changed configuration needs a restart; the one before it stays';
      this.#unappliedReason = shownReason(`a restart is needed for ${settings.join(', ')}`);
      this.#tell('restart_needed', { settings, changed }, message);
      return;
    }
    await this.#apply(loaded.value, changed);
  };

  async #apply(configuration: Configuration, changed: readonly string[]): Promise<void> {
    const { parts, logger } = this.#options;
    try {
      for (const { prepare } of parts) await prepare?.(configuration);
    } catch (error) {
      const message = 'the changed configuration could not be applied; it is tried again';
      this.#unappliedReason = shownReason(`it could not be applied, and is tried again: ${messageOf(error)}`);
      this.#tell('failed', { reason: messageOf(error), changed }, message);
      return;
    }
    for (const { apply } of parts) apply(configuration);
    this.#current = configuration;
    this.#settle();
    this.#count('applied');
    logger.info({ changed }, 'the changed configuration is in force');
  }

  /** The file says what is in force. */
  #settle(): void {
    this.#told = '';
    this.#unappliedSince = null;
    this.#unappliedReason = null;
  }

  /** The file is looked at every few seconds: the same again is neither logged nor counted. */
  #tell(result: ReloadResult, fields: object, message: string): void {
    this.#unappliedSince ??= this.#options.now();
    const told = JSON.stringify([result, fields]);
    if (told === this.#told) return;
    this.#told = told;
    this.#count(result);
    this.#options.logger.warn(fields, message);
  }

  #count(result: ReloadResult): void {
    this.#counts.set(result, (this.#counts.get(result) ?? 0) + 1);
  }
}

function reasonOf([first, ...others]: ConfigurationErrors): string {
  const shown = shownReason(first?.sentence ?? '');
  return others.length === 0 ? shown : `${shown} (and ${others.length} more)`;
}

/** Without a token nobody could call the API: an administrator's is made at a start only. */
function needsRestart(setting: string, { auth }: Configuration): boolean {
  return !isReloadable(setting) || (setting === 'auth.tokens' && auth.tokens.length === 0);
}
