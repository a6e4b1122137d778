import type { SourceConfiguration, VerifyOptions } from '#git-sync';
import { withoutUndefined } from '#kernel';
import type { ReadContext } from '#policy';
import type { ManagedNamespaces, RepositoryOptions, TenantOptions } from '#repository';
import type { Configuration } from './configuration.schema.ts';
import type { SourceReading, SourceSettings } from './source.schema.ts';

/** What all sources of a configuration share. */
type SharedSettings = Pick<
  Configuration,
  'namespaces' | 'prometheusServers' | 'recommenderHosts' | 'strictNamespaces'
>;

/** A source of the configuration as the sync takes it, every default filled in. */
export function sourceConfiguration(
  source: SourceSettings,
  configuration: SharedSettings,
): SourceConfiguration {
  const { name, url, ref, credentials, verify, limits, blastRadius } = source;
  return {
    location: {
      source: name,
      url,
      ref,
      ...(credentials === undefined ? {} : { credentials: withoutUndefined(credentials) }),
    },
    repository: repositoryOptions(source, configuration),
    ...(verify === undefined ? {} : { verify: verifyOptions(verify) }),
    hasForge: source.forge !== undefined,
    blastRadius,
    fetchLimits: { bytes: limits.fetchBytes, milliseconds: limits.fetchTimeout * 1_000 },
    read: readContext(configuration),
  };
}

/** What policies may name: the servers and recommender hosts of the configuration. */
export function readContext({
  prometheusServers,
  recommenderHosts,
}: Pick<Configuration, 'prometheusServers' | 'recommenderHosts'>): ReadContext {
  return {
    prometheusServers: new Set(prometheusServers.map((server) => server.name)),
    recommenderHosts: new Set(recommenderHosts),
  };
}

/** What of a source's repository is read. Without a configuration every namespace is managed. */
export function repositoryOptions(
  { path, include, exclude, namespace, tenants, limits }: SourceReading,
  configuration?: Pick<Configuration, 'namespaces' | 'strictNamespaces'>,
): RepositoryOptions {
  const managed = configuration === undefined ? undefined : managedNamespaces(configuration);
  const { fileBytes, files, documentsPerFile, aliasExpansions } = limits;
  return {
    path,
    include,
    exclude,
    ...(namespace === undefined ? {} : { namespace }),
    tenants: tenants.map(tenantOptions),
    limits: { fileBytes, files, documentsPerFile, aliasExpansions },
    ...(managed === undefined ? {} : { managed }),
  };
}

/** Undefined: all of them. */
function managedNamespaces({
  namespaces,
  strictNamespaces,
}: Pick<Configuration, 'namespaces' | 'strictNamespaces'>): ManagedNamespaces | undefined {
  if (namespaces.includes('*')) return undefined;
  return { namespaces: namespaces.toSorted(), outside: strictNamespaces ? 'error' : 'warning' };
}

function tenantOptions({ limits, ...tenant }: SourceReading['tenants'][number]): TenantOptions {
  const { name, path, ...optional } = tenant;
  return {
    name,
    path,
    ...withoutUndefined(optional),
    ...(limits === undefined
      ? {}
      : {
          limits: withoutUndefined({
            maxReplicas: limits.maxReplicas,
            minIntervalSeconds: limits.minInterval,
          }),
        }),
  };
}

function verifyOptions(verify: NonNullable<SourceSettings['verify']>): VerifyOptions {
  const { commits, forgeFingerprints, sshAllowedSignersFile, openPgpKeysFile } = verify;
  return {
    line: commits,
    trusted: { forgeFingerprints, ...withoutUndefined({ sshAllowedSignersFile, openPgpKeysFile }) },
  };
}
