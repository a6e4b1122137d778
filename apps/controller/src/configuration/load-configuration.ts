import { readFile, stat } from 'node:fs/promises';
import {
  type Configuration,
  type ConfigurationErrors,
  maximumConfigurationBytes,
  readConfiguration,
} from '#configuration';
import { err, messageOf, ok, type Result } from '#kernel';

/** Where a configuration is read from. */
export interface ConfigurationPlace {
  /** Absent: the environment alone. */
  readonly file?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Loads the configuration's file and reads it, the environment laid over it; all problems at once. */
export async function loadConfiguration({
  file,
  environment,
}: ConfigurationPlace): Promise<Result<Configuration, ConfigurationErrors>> {
  if (file === undefined) return readConfiguration({ environment });
  const text = await loadText(file);
  return text.ok ? readConfiguration({ file: { name: file, text: text.value }, environment }) : text;
}

async function loadText(file: string): Promise<Result<string, ConfigurationErrors>> {
  try {
    const { size } = await stat(file);
    if (size > maximumConfigurationBytes)
      return err([`${file}: ${size} bytes; a configuration has at most ${maximumConfigurationBytes}`]);
    return ok(await readFile(file, 'utf8'));
  } catch (error) {
    return err([`${file}: ${messageOf(error)}`]);
  }
}
