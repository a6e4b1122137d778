import { parse } from 'yaml';
import { z } from 'zod';
import type { Json, JsonObject } from '#kernel';
import { configurationSchema } from './configuration.schema.ts';
import { type ConfigurationError, noSuchSetting } from './configuration-errors.ts';

/** One setting: where it stands in the configuration, and the environment variable that sets it. */
export interface Setting {
  /** `['listen', 'port']` */
  readonly path: readonly string[];
  /** `PLIMSOLL_LISTEN_PORT` */
  readonly variable: string;
  /** One line for the help, from the schema. */
  readonly shape: string;
}

const prefix = 'PLIMSOLL_';

/** It steers the command itself and is no setting. */
const reserved = 'PLIMSOLL_CONFIG';

/** Every setting there is, in the schema's order; a list is one setting, written as YAML. */
export function listSettings(): readonly Setting[] {
  settings ??= settingsOf(z.toJSONSchema(configurationSchema, { io: 'input' }), []);
  return settings;
}

/** Made once: the file is looked at every few seconds, and the schema's own takes 10 MB to make. */
let settings: readonly Setting[] | undefined;

/** The settings that the environment names. */
export interface EnvironmentSettings {
  readonly values: readonly { readonly setting: Setting; readonly value: Json }[];
  /** One for each variable that is no setting, or no YAML. */
  readonly errors: readonly ConfigurationError[];
}

/** Reads `PLIMSOLL_*` variables; values are read as YAML, so `8080`, `true` and `[shop, billing]` mean what they say. */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): EnvironmentSettings {
  const byVariable = new Map(listSettings().map((setting) => [setting.variable, setting]));
  const values: { setting: Setting; value: Json }[] = [];
  const errors: ConfigurationError[] = [];
  for (const [variable, text] of Object.entries(environment)) {
    if (text === undefined || !variable.startsWith(prefix) || variable === reserved) continue;
    if (isServiceLink(variable, text)) continue;
    const setting = byVariable.get(variable);
    if (setting === undefined)
      errors.push({ sentence: `${variable}: ${noSuchSetting(variable, byVariable.keys())}` });
    else collect({ setting, text }, values, errors);
  }
  return { values, errors };
}

/** The variables that {@link readEnvironment} passes over, since Kubernetes set them for a Service. */
export function listServiceLinks(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.entries(environment)
    .filter(([variable, text]) => variable.startsWith(prefix) && isServiceLink(variable, text ?? ''))
    .map(([variable]) => variable);
}

/**
 * Kubernetes gives every container variables named for the Services of its namespace, unless `enableServiceLinks` is
 * false: of one named `plimsoll` or `plimsoll-listen` they begin as settings do, and `PLIMSOLL_LISTEN_PORT` is one.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
function isServiceLink(variable: string, text: string): boolean {
  return (
    /_SERVICE_(HOST|PORT)$/.test(variable) ||
    (/_SERVICE_PORT_./.test(variable) && /^[A-Z0-9_]+$/.test(variable)) ||
    /_PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(variable) ||
    (variable.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(text))
  );
}

interface Found {
  readonly setting: Setting;
  readonly text: string;
}

function collect(
  found: Found,
  values: { setting: Setting; value: Json }[],
  errors: ConfigurationError[],
): void {
  try {
    const value: Json = parse(found.text) as Json;
    values.push({ setting: found.setting, value });
  } catch {
    // The text may hold a secret by mistake, so the error never repeats it.
    errors.push({ sentence: `${found.setting.variable}: the value is no YAML` });
  }
}

/** Puts a value at its place, leaving the document that was given as it is. */
export function withSetting(document: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return document;
  if (rest.length === 0) return { ...document, [key]: value };
  const inner = document[key];
  const nested =
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as JsonObject) : {};
  return { ...document, [key]: withSetting(nested, rest, value) };
}

interface SchemaNode {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly default?: unknown;
  readonly properties?: unknown;
}

function settingsOf(schema: object, path: readonly string[]): readonly Setting[] {
  const properties = (schema as SchemaNode).properties;
  if (typeof properties === 'object' && properties !== null)
    return Object.entries(properties).flatMap(([key, value]) => settingsOf(value as object, [...path, key]));

  return [{ path, variable: variableOf(path), shape: shapeOf(schema) }];
}

function variableOf(path: readonly string[]): string {
  return prefix + path.map((key) => key.replace(/(?<=[a-z0-9])([A-Z])/g, '_$1').toUpperCase()).join('_');
}

function shapeOf(schema: SchemaNode): string {
  const kind = Array.isArray(schema.enum)
    ? schema.enum.join(' | ')
    : typeof schema.type === 'string'
      ? schema.type
      : 'value';
  return schema.default === undefined ? kind : `${kind}, default ${JSON.stringify(schema.default)}`;
}
