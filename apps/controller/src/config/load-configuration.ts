import { readFile, stat } from 'node:fs/promises';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { err, isJsonObject, type JsonObject, messageOf, ok, type Result } from '#kernel';
import { type Configuration, configurationSchema } from './configuration.schema.ts';
import { readEnvironment, withSetting } from './environment.ts';

/** One sentence a problem, each naming the file, line and column or the environment variable. */
export type ConfigurationErrors = readonly string[];

/** A configuration is a page or two; anything beyond this is not one. */
const maximumBytes = 1024 * 1024;

/** What a configuration is read from. */
export interface ConfigurationInput {
  /** The YAML file; absent: the environment alone. */
  readonly file?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface ReadDocument {
  readonly json: JsonObject;
  readonly positionOf: (path: readonly PropertyKey[]) => string;
}

/**
 * Reads the file, lays the environment over it, and checks the whole: all problems at once.
 *
 * Errors: a file that cannot be read, is over 1 MiB or no YAML; an unknown setting; a value out of its bounds.
 */
export async function loadConfiguration(
  input: ConfigurationInput,
): Promise<Result<Configuration, ConfigurationErrors>> {
  const document = input.file === undefined ? ok(emptyDocument) : await readDocument(input.file);
  if (!document.ok) return document;
  const environment = readEnvironment(input.environment);
  let json = document.value.json;
  for (const { setting, value } of environment.values) json = withSetting(json, setting.path, value);
  const fromEnvironment = new Map(
    environment.values.map(({ setting }) => [setting.path.join('.'), setting.variable]),
  );
  const parsed = configurationSchema.safeParse(json, { reportInput: true });
  if (parsed.success && environment.errors.length === 0) return ok(parsed.data);
  const found = parsed.success
    ? []
    : parsed.error.issues.flatMap((issue) => describeIssue(issue, fromEnvironment, document.value));
  return err([...environment.errors, ...found]);
}

const emptyDocument: ReadDocument = { json: {}, positionOf: () => 'configuration' };

async function readDocument(file: string): Promise<Result<ReadDocument, ConfigurationErrors>> {
  const text = await readText(file);
  if (!text.ok) return text;
  const counter = new LineCounter();
  const document = parseDocument(text.value, { lineCounter: counter, prettyErrors: false });
  if (document.errors.length > 0)
    return err(document.errors.map((error) => `${file}:${place(counter, error.pos[0])}: ${error.message}`));

  const json: unknown = document.toJS({ maxAliasCount: 100 });
  if (!isJsonObject(json)) return err([`${file}:1:1: a configuration is a mapping`]);
  return ok({ json, positionOf: (path) => `${file}:${place(counter, offsetOf(document, path))}` });
}

async function readText(file: string): Promise<Result<string, ConfigurationErrors>> {
  try {
    const { size } = await stat(file);
    if (size > maximumBytes)
      return err([`${file}: ${size} bytes; a configuration has at most ${maximumBytes}`]);
    return ok(await readFile(file, 'utf8'));
  } catch (error) {
    return err([`${file}: ${messageOf(error)}`]);
  }
}

function place(counter: LineCounter, offset: number): string {
  const { line, col } = counter.linePos(offset);
  return `${line}:${col}`;
}

/** The offset of the value at the path, or of the nearest parent that exists. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
    if (Array.isArray(range)) return Number(range[0]);
  }
  return 0;
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly keys?: readonly string[];
  readonly input?: unknown;
}

function describeIssue(
  issue: Issue,
  fromEnvironment: ReadonlyMap<string, string>,
  document: ReadDocument,
): readonly string[] {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return (issue.keys ?? []).map(
      (key) =>
        `${document.positionOf([...issue.path, key])}: ${at === '' ? key : `${at}.${key}`}: no such setting`,
    );
  }
  const where = variableFor(at, fromEnvironment) ?? document.positionOf(issue.path);
  return [`${where}: ${at}: ${issue.message}${valueText(issue.input)}`];
}

function variableFor(at: string, fromEnvironment: ReadonlyMap<string, string>): string | undefined {
  for (const [path, variable] of fromEnvironment)
    if (at === path || at.startsWith(`${path}.`)) return variable;
  return undefined;
}

/** Scalars only, and never the user part or the query of a URL: an error must not repeat a secret. */
function valueText(input: unknown): string {
  if (input === undefined) return ' (is missing)';
  if (typeof input === 'string')
    return ` (is ${JSON.stringify(input.replace(/\/\/.*@/s, '//…@').replace(/[?#].*/s, '?…'))})`;
  return typeof input === 'number' || typeof input === 'boolean' ? ` (is ${String(input)})` : '';
}
