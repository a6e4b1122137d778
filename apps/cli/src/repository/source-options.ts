import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { messageOf } from '#kernel';
import type { ReadContext } from '#policy';
import {
  defaultRepositoryLimits,
  findTenantProblems,
  globProblem,
  type RepositoryOptions,
  type TenantOptions,
} from '#repository';
import { UnusableError } from './unusable-error.ts';

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

/** How a repository is read, and what its policies may name. */
export interface SourceOptions {
  readonly repository: RepositoryOptions;
  readonly read: ReadContext;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the arguments, and the configuration file where one is named. The command line wins over the file. */
export function readSourceOptions(given: SourceArguments): SourceOptions {
  if (given.config === undefined) {
    if (given.source !== undefined) throw new UnusableError('--source needs --config');
    return { repository: repositoryOptions(given, {}), read: {} };
  }
  const configuration = readMapFile(given.config);
  const source = sourceOf(configuration, given);
  return { repository: repositoryOptions(given, source), read: readContext(configuration) };
}

function repositoryOptions(given: SourceArguments, source: Fields): RepositoryOptions {
  const namespace = given.namespace ?? textOf(source['namespace'], 'namespace');
  return {
    path: given.path ?? textOf(source['path'], 'path') ?? '',
    include: globsOf(given.include ?? textsOf(source['include'], 'include'), 'include'),
    exclude: globsOf(given.exclude ?? textsOf(source['exclude'], 'exclude'), 'exclude'),
    tenants: apart(tenantsOf(given.tenants === undefined ? source['tenants'] : readText(given.tenants))),
    limits: defaultRepositoryLimits,
    ...(namespace !== undefined && { namespace }),
  };
}

function globsOf(globs: readonly string[], name: string): readonly string[] {
  for (const glob of globs) {
    const problem = globProblem(glob);
    if (problem !== undefined) throw new UnusableError(`${name} ${JSON.stringify(glob)} ${problem}`);
  }
  return globs;
}

/** Tenants whose names and folders are their own. */
function apart(tenants: readonly TenantOptions[]): readonly TenantOptions[] {
  globsOf(
    tenants.map(({ path }) => path),
    'tenants[].path',
  );
  const [problem] = findTenantProblems(tenants);
  if (problem === undefined) return tenants;
  const { index, field, message } = problem;
  throw new UnusableError(`tenants[${index}].${field} ${tenants[index]?.[field] ?? ''} ${message}`);
}

/** Where no configuration is at hand, servers and hosts are taken on trust. */
function readContext(configuration: Fields): ReadContext {
  const servers = mapsOf(configuration['prometheusServers'], 'prometheusServers').map(({ name }) =>
    String(name),
  );
  const hosts = mapsOf(configuration['recommenders'], 'recommenders').map(({ url }) => hostOf(String(url)));
  return { prometheusServers: new Set(servers), recommenderHosts: new Set(hosts) };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function sourceOf(configuration: Fields, given: SourceArguments): Fields {
  const sources = mapsOf(configuration['sources'], 'sources');
  const names = sources.map(({ name }) => String(name));
  const named = given.source === undefined ? sources : sources.filter(({ name }) => name === given.source);
  const [source] = named;
  if (source !== undefined && named.length === 1) return source;
  throw new UnusableError(`--source must name one of ${names.join(', ')} (of ${String(given.config)})`);
}

function tenantsOf(value: unknown): readonly TenantOptions[] {
  return mapsOf(value, 'tenants').map((tenant) => {
    const name = textOf(tenant['name'], 'tenants[].name');
    const path = textOf(tenant['path'], 'tenants[].path');
    if (name === undefined || path === undefined)
      throw new UnusableError('each of tenants needs a name and a path');
    const namespace = textOf(tenant['namespace'], 'tenants[].namespace');
    return {
      name,
      path,
      ...(tenant['namespaces'] !== undefined && {
        namespaces: textsOf(tenant['namespaces'], 'tenants[].namespaces'),
      }),
      ...(namespace !== undefined && { namespace }),
      ...(tenant['servers'] !== undefined && { servers: textsOf(tenant['servers'], 'tenants[].servers') }),
      ...limitsOf(tenant['limits']),
    };
  });
}

function limitsOf(value: unknown): Pick<TenantOptions, 'limits'> {
  if (value === undefined || value === null) return {};
  if (!isMap(value)) throw new UnusableError('tenants[].limits must be a map');
  const { maxReplicas, minInterval } = value;
  const seconds = typeof minInterval === 'string' ? secondsOf(minInterval) : undefined;
  return {
    limits: {
      ...(typeof maxReplicas === 'number' && { maxReplicas }),
      ...(seconds !== undefined && { minIntervalSeconds: seconds }),
    },
  };
}

function secondsOf(text: string): number {
  const match = /^(\d{1,9})([smh])$/.exec(text);
  const unit = { s: 1, m: 60, h: 3600 }[match?.[2] ?? ''];
  if (unit === undefined)
    throw new UnusableError(`minInterval must be a whole number of s, m or h, is ${text}`);
  return Number(match?.[1]) * unit;
}

function readMapFile(file: string): Fields {
  const value = readFile(file);
  if (isMap(value)) return value;
  throw new UnusableError(`${file} holds no configuration`);
}

/** A value written on the command line, or the file that holds it. */
function readText(text: string): unknown {
  return /^\s*[[{]/.test(text) ? parseText(text, '--tenants') : readFile(text);
}

function readFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new UnusableError(`${file} cannot be read`);
  }
  return parseText(text, file);
}

function parseText(text: string, name: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new UnusableError(`${name} is no YAML: ${messageOf(error)}`);
  }
}

function isMap(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapsOf(value: unknown, name: string): readonly Fields[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every(isMap)) return value;
  throw new UnusableError(`${name} must be a list of maps`);
}

function textOf(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new UnusableError(`${name} must be a text`);
}

function textsOf(value: unknown, name: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new UnusableError(`${name} must be a list of texts`);
}
