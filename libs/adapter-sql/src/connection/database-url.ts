import { databaseError } from './database-error.ts';

export type DatabaseLocation =
  | { readonly dialect: 'sqlite'; readonly file: string }
  | { readonly dialect: 'postgres'; readonly postgres: PostgresLocation };

/** A PostgreSQL server. The driver takes what is left out from the environment (`PGUSER`, `PGPASSWORD`, …). */
export interface PostgresLocation {
  readonly host: string;
  readonly port: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly tls: 'disable' | 'require' | 'verify-full';
  /** PEM file of the certificate authority. */
  readonly rootCertificateFile?: string;
  /** What its errors name; absent: nothing. */
  readonly settings?: DatabaseSettings;
}

/** How what leads to a database is called where it is set. */
export interface DatabaseSettings {
  /** `database.url` */
  readonly url: string;
  /** `database.passwordFile`, of the password, or of who has none that is right. */
  readonly password: string;
}

const defaultPostgresPort = 5432;
const form = 'sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE';
const knownParameters = new Set(['sslmode', 'sslrootcert']);
/** libpq tries one after the other; the client for Node takes the list for one name. */
const severalHosts = /^postgres(?:ql)?:\/\/(?:[^/@]*@)?[^,/?@]*,[^/?@]*(?:[/?]|$)/;
const tlsModes = ['disable', 'require', 'verify-full'] as const;

/**
 * Parses the configured database URL. Error messages never repeat the URL, since it may contain a password.
 *
 * @param settings what errors of a server name
 * @throws AdapterError `InvalidDatabaseUrl`
 */
export function parseDatabaseUrl(url: string, settings?: DatabaseSettings): DatabaseLocation {
  if (url.startsWith('sqlite:')) return { dialect: 'sqlite', file: sqliteFile(url.slice('sqlite:'.length)) };
  if (severalHosts.test(url)) {
    throw databaseError(
      'InvalidDatabaseUrl',
      'the database URL names several hosts, and only one would ever be asked: name an address that leads to the primary',
    );
  }
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol))
    throw databaseError('InvalidDatabaseUrl', `the database URL must be ${form}`);
  const named = settings === undefined ? {} : { settings };
  return { dialect: 'postgres', postgres: { ...postgresLocation(parsed), ...named } };
}

function sqliteFile(path: string): string {
  const file = path.replace(/^\/\/(?=\/)/, '');
  if (file === '' || file === ':memory:' || file.includes('?')) {
    throw databaseError(
      'InvalidDatabaseUrl',
      'a SQLite database URL is sqlite:PATH, of a file: the ledger must outlive the process',
    );
  }
  return file;
}

function postgresLocation(url: URL): PostgresLocation {
  const unknown = [...url.searchParams.keys()].find((name) => !knownParameters.has(name));
  if (unknown !== undefined) {
    throw databaseError(
      'InvalidDatabaseUrl',
      `unknown parameter "${unknown}" in the database URL; known are ${[...knownParameters].join(', ')}`,
    );
  }
  const rootCertificateFile = url.searchParams.get('sslrootcert');
  return {
    host: url.hostname === '' ? 'localhost' : decodeURIComponent(url.hostname),
    port: url.port === '' ? defaultPostgresPort : Number(url.port),
    ...part('user', url.username),
    ...part('password', url.password),
    ...part('database', url.pathname.slice(1)),
    tls: tlsMode(url.searchParams.get('sslmode')),
    ...(rootCertificateFile === null ? {} : { rootCertificateFile }),
  };
}

function part<K extends string>(name: K, encoded: string): { readonly [key in K]?: string } {
  if (encoded === '') return {};
  try {
    return { [name]: decodeURIComponent(encoded) } as { readonly [key in K]?: string };
  } catch {
    throw databaseError('InvalidDatabaseUrl', `the ${name} in the database URL is not percent-encoded`);
  }
}

function tlsMode(mode: string | null): PostgresLocation['tls'] {
  const known = tlsModes.find((name) => name === (mode ?? 'disable'));
  if (known === undefined) {
    throw databaseError(
      'InvalidDatabaseUrl',
      `sslmode is "${mode ?? ''}", allowed are ${tlsModes.join(', ')}`,
    );
  }
  return known;
}
