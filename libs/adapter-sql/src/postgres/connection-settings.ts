import { readFileSync } from 'node:fs';
import pg from 'pg';
import { databaseError } from '../database-error.ts';
import type { PostgresLocation } from '../database-url.ts';

/** How long to wait for a connection: as long as a fail-over of a managed server takes to refuse. */
const connectTimeoutMilliseconds = 10_000;

/** The server gives up first, so that it is known that nothing was done. */
const clientGraceMilliseconds = 5_000;

/** What a connection is made with. */
export function connectionSettings(location: PostgresLocation, timeoutMilliseconds: number): pg.ClientConfig {
  const { host, port, user, password, database } = location;
  return {
    host,
    port,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    ssl: tlsSettings(location),
    application_name: 'plimsoll',
    connectionTimeoutMillis: connectTimeoutMilliseconds,
    statement_timeout: timeoutMilliseconds,
    query_timeout: timeoutMilliseconds + clientGraceMilliseconds,
    idle_in_transaction_session_timeout: timeoutMilliseconds,
    keepAlive: true,
    types: wholeNumbersAsBigint(),
  };
}

/** The driver reads 64-bit integers as text and smaller ones as numbers; here all are bigint. */
function wholeNumbersAsBigint(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides();
  const { INT2, INT4, INT8 } = pg.types.builtins;
  for (const type of [INT2, INT4, INT8]) types.setTypeParser(type, 'text', (text: string) => BigInt(text));
  return types;
}

/** The part of Node's TLS options that is set. */
export interface TlsSettings {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
}

/** TLS as libpq names it: `require` encrypts without asking who answers, `verify-full` asks. */
export function tlsSettings({ tls, rootCertificateFile }: PostgresLocation): false | TlsSettings {
  if (tls === 'disable') return false;
  return {
    rejectUnauthorized: tls === 'verify-full',
    ...(rootCertificateFile === undefined ? {} : { ca: readCertificate(rootCertificateFile) }),
  };
}

function readCertificate(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw databaseError('InvalidDatabaseUrl', `sslrootcert ${file} cannot be read: ${String(error)}`);
  }
}
