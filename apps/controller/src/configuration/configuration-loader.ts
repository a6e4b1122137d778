import { readFile, stat } from 'node:fs/promises';
import {
  type Configuration,
  type ConfigurationErrors,
  maximumConfigurationBytes,
  readConfiguration,
} from '#configuration';
import { err, fileFault, ok, type Result } from '#kernel';

/** Where a configuration is read from. */
export interface ConfigurationPlace {
  /** Absent: the environment alone. */
  readonly file?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Loads the configuration's file and reads it, the environment laid over it; all problems at once. The file is looked at
 * every few seconds: a text that is as it was is not parsed again, and its result is the same object.
 */
export class ConfigurationLoader {
  readonly #place: ConfigurationPlace;
  #latest: { readonly text: string; readonly read: Result<Configuration, ConfigurationErrors> } | null = null;

  constructor(place: ConfigurationPlace) {
    this.#place = place;
  }

  readonly load = async (): Promise<Result<Configuration, ConfigurationErrors>> => {
    const { file, environment } = this.#place;
    if (file === undefined) return readConfiguration({ environment });
    const loaded = await loadText(file);
    if (!loaded.ok) return loaded;
    const text = loaded.value;
    if (this.#latest?.text !== text)
      this.#latest = { text, read: readConfiguration({ file: { name: file, text }, environment }) };
    return this.#latest.read;
  };
}

async function loadText(file: string): Promise<Result<string, ConfigurationErrors>> {
  try {
    const { size } = await stat(file);
    if (size > maximumConfigurationBytes) {
      return err([
        { sentence: `${file}: ${size} bytes; a configuration has at most ${maximumConfigurationBytes}` },
      ]);
    }
    return ok(await readFile(file, 'utf8'));
  } catch (error) {
    return err([{ sentence: `${file}: ${fileFault(error, file)}` }]);
  }
}
