import { readFileSync, statSync } from 'node:fs';
import {
  type Configuration,
  type ConfigurationErrors,
  configurationErrorText,
  maximumConfigurationBytes,
  type NamedText,
  readContext,
  readSharedConfiguration,
  readSourceOptions as readOverrides,
  type SourceSettings,
} from '#configuration';
import { fileFault, type Result, withoutUndefined } from '#kernel';
import type { ReadContext } from '#policy';
import type { RepositoryOptions } from '#repository';
import { UnusableError } from '../unusable-error.ts';

/** What the command line says about how a repository is read. */
export interface SourceArguments {
  readonly path?: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly namespace?: string;
  /** JSON or YAML, or a file that holds it. */
  readonly tenants?: string;
  readonly config?: string;
  readonly source?: string;
}

/** Variables, which lie over the configuration file as they do for the controller. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How a repository is read, and what its policies may name. */
export interface SourceOptions {
  readonly repository: RepositoryOptions;
  readonly read: ReadContext;
}

/**
 * Reads the arguments, and the configuration file where one is named, as the controller reads it. The command line wins
 * over the file.
 *
 * @throws UnusableError naming all that is wrong.
 */
export function readSourceOptions(given: SourceArguments, environment: Environment): SourceOptions {
  const configuration = given.config === undefined ? undefined : loadConfiguration(given.config, environment);
  if (configuration === undefined && given.source !== undefined)
    throw new UnusableError('--source needs --config');
  const { path, include, exclude, namespace, tenants } = given;
  const overrides = withoutUndefined({
    path,
    include,
    exclude,
    namespace,
    tenants: tenants === undefined ? undefined : namedText(tenants),
  });
  const from =
    configuration === undefined ? undefined : { configuration, source: sourceOf(configuration, given) };
  return {
    repository: valueOf(readOverrides(overrides, from)),
    // Where no configuration is at hand, servers and hosts are taken on trust.
    read: configuration === undefined ? {} : readContext(configuration),
  };
}

/** Reads a configuration as the controllers read it that share it. @throws UnusableError naming all that is wrong. */
export function loadConfiguration(file: string, environment: Environment): Configuration {
  return valueOf(readSharedConfiguration({ file: { name: file, text: loadText(file) }, environment }));
}

function sourceOf({ sources }: Configuration, { source, config }: SourceArguments): SourceSettings {
  const named = source === undefined ? sources : sources.filter(({ name }) => name === source);
  const [found] = named;
  if (found !== undefined && named.length === 1) return found;
  const names = sources.map(({ name }) => name);
  throw new UnusableError(`--source must name one of ${names.join(', ')} (of ${String(config)})`);
}

/** A value written on the command line, or the file that holds it. */
function namedText(text: string): NamedText {
  return /^\s*[[{]/.test(text) ? { name: '--tenants', text } : { name: text, text: loadText(text) };
}

function loadText(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > maximumConfigurationBytes)
      throw new Error(`${size} bytes; a configuration has at most ${maximumConfigurationBytes}`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UnusableError(`${file} cannot be read: ${fileFault(error, file)}`);
  }
}

function valueOf<T>(result: Result<T, ConfigurationErrors>): T {
  if (result.ok) return result.value;
  throw new UnusableError(result.error.map(configurationErrorText).join('\n'));
}
