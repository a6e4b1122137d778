import { describe, expect, it } from '@jest/globals';
import { parseDatabaseUrl } from './database-url.ts';

describe('parseDatabaseUrl', () => {
  it.each([
    { given: 'sqlite:ledger.db', want: 'ledger.db' },
    { given: 'sqlite:/var/lib/plimsoll/ledger.db', want: '/var/lib/plimsoll/ledger.db' },
    { given: 'sqlite:///var/lib/plimsoll/ledger.db', want: '/var/lib/plimsoll/ledger.db' },
  ])('reads the file of $given', ({ given, want }) => {
    expect(parseDatabaseUrl(given)).toEqual({ dialect: 'sqlite', file: want });
  });

  it('reads every part of a PostgreSQL URL', () => {
    const url =
      'postgresql://plim%40soll:p%40ss%2Fword@db.example.org:6432/ledger?sslmode=verify-full&sslrootcert=/ca.pem';
    expect(parseDatabaseUrl(url)).toEqual({
      dialect: 'postgres',
      postgres: {
        host: 'db.example.org',
        port: 6432,
        user: 'plim@soll',
        password: 'p@ss/word',
        database: 'ledger',
        tls: 'verify-full',
        rootCertificateFile: '/ca.pem',
      },
    });
  });

  it('leaves what the URL does not set to the environment', () => {
    expect(parseDatabaseUrl('postgres://')).toEqual({
      dialect: 'postgres',
      postgres: { host: 'localhost', port: 5432, tls: 'disable' },
    });
  });

  it.each([
    { given: '', names: 'sqlite:PATH' },
    { given: 'mysql://u:secret@h/d', names: 'postgres://' },
    { given: 'postgres://u:secret@h:notaport/d', names: 'postgres://' },
    { given: 'postgres://u:%E0secret@h/d', names: 'password' },
    { given: 'postgres://u:secret@h/d?sslmode=prefer', names: 'prefer' },
    { given: 'postgres://u:secret@h/d?password=secret', names: 'password' },
    { given: 'sqlite:', names: 'sqlite:PATH' },
    { given: 'sqlite::memory:', names: 'outlive' },
    { given: 'sqlite:ledger.db?mode=ro', names: 'sqlite:PATH' },
  ])('refuses $given, and keeps the secret', ({ given, names }) => {
    let refusal: unknown;
    try {
      parseDatabaseUrl(given);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ code: 'InvalidDatabaseUrl', retryable: false });
    expect(String(refusal)).toContain(names);
    expect(String(refusal)).not.toContain('secret');
  });
});
