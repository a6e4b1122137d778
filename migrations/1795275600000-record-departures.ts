import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/**
 * Adds how a document left, and the file of documents without a namespace, since each folder may have defaults of the
 * same name. The new index finds the revision of a rollback by its commit.
 */
export class RecordDepartures1795275600000 implements MigrationInterface {
  readonly name = 'RecordDepartures1795275600000';

  async up(runner: QueryRunner): Promise<void> {
    const collation = ' COLLATE "C"';
    await runStatements(runner, {
      sqlite: statements({ collation: '', fileOf: `json_extract(record, '$.file')` }),
      postgres: statements({ collation, fileOf: `record::jsonb ->> 'file'` }),
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX revision_commit');
    await runner.query('DROP INDEX policy_version_identity');
    await runner.query(identityIndex('source, role, namespace, name, tenant'));
    await runner.query('ALTER TABLE policy_version DROP COLUMN file');
    await runner.query('ALTER TABLE policy_version DROP COLUMN departure');
  }
}

function statements({
  collation,
  fileOf,
}: {
  readonly collation: string;
  readonly fileOf: string;
}): readonly string[] {
  return [
    `ALTER TABLE policy_version ADD COLUMN file TEXT${collation} NOT NULL DEFAULT ''`,
    `ALTER TABLE policy_version ADD COLUMN departure TEXT${collation}`,
    `UPDATE policy_version SET file = ${fileOf} WHERE role <> 'Policy'`,
    'DROP INDEX policy_version_identity',
    identityIndex('source, role, namespace, name, tenant, file'),
    'CREATE INDEX revision_commit ON revision (source, commit_hash, position)',
  ];
}

function identityIndex(columns: string): string {
  return `CREATE UNIQUE INDEX policy_version_identity ON policy_version (${columns}) WHERE valid_to IS NULL`;
}
