import { err, ok, type Result, withoutUndefined } from '#kernel';
import type { RepositoryOptions } from '#repository';
import type { Configuration } from './configuration.schema.ts';
import { type ConfigurationErrors, describeIssue, inSentences } from './configuration-errors.ts';
import { type NamedText, type ParsedYaml, parseYaml } from './parse-yaml.ts';
import { sourceReading, type SourceSettings } from './source.schema.ts';
import { repositoryOptions } from './source-configuration.ts';

/** What a command line says about how a repository is read; each replaces the same setting of a source. */
export interface SourceOverrides {
  readonly path?: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly namespace?: string;
  /** A list of tenants in YAML. */
  readonly tenants?: NamedText;
}

/**
 * Checks the overrides as settings of a source, and lays them over a source of a configuration, or over a source's defaults.
 *
 * @returns how the repository is read, or all problems at once, each naming its option.
 */
export function readSourceOptions(
  overrides: SourceOverrides,
  from?: { readonly source: SourceSettings; readonly configuration: Configuration },
): Result<RepositoryOptions, ConfigurationErrors> {
  const tenants = overrides.tenants === undefined ? undefined : parseYaml(overrides.tenants);
  if (tenants?.ok === false) return tenants;
  const given = withoutUndefined({ ...overrides, tenants: tenants?.value.json });
  const parsed = sourceReading.safeParse(given, inSentences);
  if (!parsed.success) {
    const placeOf = placeIn(tenants?.value);
    return err(parsed.error.issues.flatMap((issue) => describeIssue(issue, sourceReading, placeOf)));
  }

  const replaced = Object.fromEntries(Object.entries(parsed.data).filter(([key]) => key in given));
  return ok(repositoryOptions({ ...(from?.source ?? parsed.data), ...replaced }, from?.configuration));
}

function placeIn(tenants: ParsedYaml | undefined): (path: readonly PropertyKey[]) => string {
  return ([option, ...rest]) =>
    option === 'tenants' && tenants !== undefined ? tenants.positionOf(rest) : `--${String(option)}`;
}
