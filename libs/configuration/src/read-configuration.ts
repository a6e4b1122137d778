import { err, isJsonObject, type Json, type JsonObject, ok, type Result } from '#kernel';
import { isPlaceholder } from './auth.schema.ts';
import { type Configuration, configurationSchema } from './configuration.schema.ts';
import { type ConfigurationErrors, describeIssue, inSentences } from './configuration-errors.ts';
import { type NamedText, type ParsedYaml, parseYaml } from './parse-yaml.ts';
import { readEnvironment, withSetting } from './read-environment.ts';

/** A configuration is a page or two; anything beyond this is not one. */
export const maximumConfigurationBytes = 1024 * 1024;

/** What a configuration is read from. */
export interface ConfigurationInput {
  /** The YAML file; absent: the environment alone. */
  readonly file?: NamedText;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the file's text, lays the environment over it, and checks the whole.
 *
 * @returns the configuration with every default filled in, or all problems at once: text that is no YAML, an unknown
 * setting, a value out of its bounds.
 */
export function readConfiguration(input: ConfigurationInput): Result<Configuration, ConfigurationErrors> {
  return read(input, (json) => json);
}

/**
 * Reads what all replicas have in common, for who is none of them: `coordination.advertisedUrl`, which each replica is told
 * by its own environment, may be left out, and hashes of tokens, by which only a controller knows its callers, may be
 * placeholders still.
 */
export function readSharedConfiguration(
  input: ConfigurationInput,
): Result<Configuration, ConfigurationErrors> {
  return read(input, (json) => withAnyTokens(withAnyAddress(json)));
}

function withAnyAddress(json: JsonObject): JsonObject {
  const { coordination } = json;
  if (!isJsonObject(coordination) || coordination['advertisedUrl'] !== undefined) return json;
  return withSetting(json, ['coordination', 'advertisedUrl'], 'http://any-replica');
}

/** Stands for a hash that is not known yet. */
const anyHash = '0123456789abcdef'.repeat(4);

function withAnyTokens(json: JsonObject): JsonObject {
  const tokens = isJsonObject(json['auth']) ? json['auth']['tokens'] : undefined;
  if (!Array.isArray(tokens)) return json;
  const known = tokens.map((token: Json) => {
    const hash = isJsonObject(token) ? token['sha256'] : undefined;
    return typeof hash === 'string' && isPlaceholder(hash)
      ? withSetting(token as JsonObject, ['sha256'], anyHash)
      : token;
  });
  return withSetting(json, ['auth', 'tokens'], known);
}

function read(
  input: ConfigurationInput,
  completed: (json: JsonObject) => JsonObject,
): Result<Configuration, ConfigurationErrors> {
  const document = input.file === undefined ? ok(emptyDocument) : readDocument(input.file);
  if (!document.ok) return document;
  const { values, errors } = readEnvironment(input.environment);
  let { json } = document.value;
  for (const { setting, value } of values) json = withSetting(json, setting.path, value);
  const parsed = configurationSchema.safeParse(completed(json), inSentences);
  if (parsed.success) return errors.length === 0 ? ok(parsed.data) : err(errors);
  const variables = new Map(values.map(({ setting }) => [setting.path.join('.'), setting.variable]));
  const placeOf = (path: readonly PropertyKey[]): string =>
    variableOf(path, variables) ?? document.value.positionOf(path);
  const invalid = parsed.error.issues.flatMap((issue) => describeIssue(issue, configurationSchema, placeOf));
  return err([...errors, ...invalid]);
}

interface ReadDocument extends ParsedYaml {
  readonly json: JsonObject;
}

const emptyDocument: ReadDocument = { json: {}, positionOf: () => 'configuration' };

function readDocument(file: NamedText): Result<ReadDocument, ConfigurationErrors> {
  if (file.text.length > maximumConfigurationBytes) {
    const sentence = `${file.name}: ${file.text.length} characters; a configuration has at most ${maximumConfigurationBytes}`;
    return err([{ sentence }]);
  }
  const parsed = parseYaml(file);
  if (!parsed.ok) return parsed;
  const { json, positionOf } = parsed.value;
  return isJsonObject(json)
    ? ok({ json, positionOf })
    : err([{ sentence: `${file.name}:1:1: a configuration is a mapping` }]);
}

function variableOf(
  path: readonly PropertyKey[],
  variables: ReadonlyMap<string, string>,
): string | undefined {
  const at = path.map(String).join('.');
  for (const [setting, variable] of variables)
    if (at === setting || at.startsWith(`${setting}.`)) return variable;
  return undefined;
}
