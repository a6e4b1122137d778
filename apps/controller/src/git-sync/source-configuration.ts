import type { SourceConfiguration, VerifyOptions } from '#git-sync';
import type { RepositoryOptions, TenantOptions } from '#repository';
import type { Configuration } from '../config/configuration.schema.ts';
import type { SourceSettings } from '../config/source.schema.ts';
import { withoutUndefined } from './without-undefined.ts';

/** A source of the configuration as the sync takes it, every default filled in. */
export function sourceConfiguration(
  source: SourceSettings,
  configuration: Pick<Configuration, 'prometheusServers' | 'recommenderHosts'>,
): SourceConfiguration {
  const { name, url, ref, credentials, verify, limits, blastRadius } = source;
  return {
    location: {
      source: name,
      url,
      ref,
      ...(credentials === undefined ? {} : { credentials: withoutUndefined(credentials) }),
    },
    repository: repositoryOptions(source),
    ...(verify === undefined ? {} : { verify: verifyOptions(verify) }),
    blastRadius,
    fetchLimits: { bytes: limits.fetchBytes, milliseconds: limits.fetchTimeout * 1_000 },
    read: {
      prometheusServers: new Set(configuration.prometheusServers.map((server) => server.name)),
      recommenderHosts: new Set(configuration.recommenderHosts),
    },
  };
}

function repositoryOptions({
  path,
  include,
  exclude,
  namespace,
  tenants,
  limits,
}: SourceSettings): RepositoryOptions {
  const { fileBytes, files, documentsPerFile, aliasExpansions } = limits;
  return {
    path,
    include,
    exclude,
    ...(namespace === undefined ? {} : { namespace }),
    tenants: tenants.map(tenantOptions),
    limits: { fileBytes, files, documentsPerFile, aliasExpansions },
  };
}

function tenantOptions({ limits, ...tenant }: SourceSettings['tenants'][number]): TenantOptions {
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
