import { defaultRepositoryLimits } from '#policy';
import { defaultBlastRadius, defaultFetchLimits, type SourceConfiguration } from '#reconciliation';
import type { Configuration } from '../config/configuration.schema.ts';

/** A source of the configuration as the sync takes it, every default filled in. */
export function sourceConfiguration(
  source: Configuration['sources'][number],
  configuration: Configuration,
): SourceConfiguration {
  const { name, url, ref, path, include, exclude, namespace, credentials } = source;
  return {
    location: {
      source: name,
      url,
      ref,
      ...(credentials === undefined ? {} : { credentials: withoutUndefined(credentials) }),
    },
    repository: {
      path,
      include,
      exclude,
      ...(namespace === undefined ? {} : { namespace }),
      tenants: [],
      limits: defaultRepositoryLimits,
    },
    blastRadius: defaultBlastRadius,
    fetchLimits: defaultFetchLimits,
    read: { prometheusServers: new Set(configuration.prometheusServers.map((server) => server.name)) },
  };
}

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Defined<T>;
}
