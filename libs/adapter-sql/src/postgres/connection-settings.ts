import { readFileSync } from 'node:fs';
import pg from 'pg';
import { fileFault } from '#kernel';
import { databaseError } from '../connection/database-error.ts';
import type { PostgresLocation } from '../connection/database-url.ts';

/** How long to wait for a connection: about as long as a managed server refuses connections in a failover. */
export const connectTimeoutMilliseconds = 10_000;

/** The server's statement timeout ends first, so that the client knows that nothing was done. */
const clientGraceMilliseconds = 5_000;

/**
 * How long a transaction may wait for its client between two statements: shorter than a fence, so that a process that is
 * stopped in the middle of a transaction does not keep another from taking its scopes over.
 */
const idleInTransactionMilliseconds = 10_000;

/** The driver's settings of one connection. */
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
    idle_in_transaction_session_timeout: Math.min(timeoutMilliseconds, idleInTransactionMilliseconds),
    keepAlive: true,
    types: wholeNumbersAsBigint(),
  };
}

/** The driver returns 64-bit integers as text and smaller ones as numbers; this adapter returns bigint for all. */
function wholeNumbersAsBigint(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides();
  const { INT2, INT4, INT8 } = pg.types.builtins;
  for (const type of [INT2, INT4, INT8]) types.setTypeParser(type, 'text', (text: string) => BigInt(text));
  return types;
}

/** The TLS options that this adapter sets. */
export interface TlsSettings {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
}

/** TLS by libpq's names: `require` encrypts without verifying the server's certificate, `verify-full` verifies it. */
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
    throw databaseError(
      'InvalidDatabaseUrl',
      `sslrootcert ${file} cannot be read: ${fileFault(error, file)}`,
    );
  }
}
