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

  it('takes a comma in a password for what it is', () => {
    expect(parseDatabaseUrl('postgres://u:a,b@db/ledger')).toMatchObject({
      postgres: { host: 'db', password: 'a,b' },
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
    { given: 'postgres://u:secret@one,other/d', names: 'leads to the primary' },
    { given: 'postgresql://one:5432,other:5433/d?password=secret', names: 'leads to the primary' },
    { given: 'postgres://u:secret@one/d?target_session_attrs=read-write', names: 'target_session_attrs' },
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
