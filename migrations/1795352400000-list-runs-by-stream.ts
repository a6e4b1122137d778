import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/**
 * Leaves runs out of the index of namespaces: nine of ten entries are runs, and an index of them costs a sixth of the
 * writer's time. Lists find them by the streams of their namespace.
 */
export class ListRunsByStream1795352400000 implements MigrationInterface {
  readonly name = 'ListRunsByStream1795352400000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [...indexedWhere(withoutRuns, ', payload_hash, time_nanoseconds'), indexStreams],
      postgres: [...indexedWhere(withoutRuns, ', time_nanoseconds, position'), indexStreams],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [
        ...indexedWhere('', ', payload_hash, time_nanoseconds'),
        'DROP INDEX stream_head_namespace_id',
      ],
      postgres: [...indexedWhere('', ', time_nanoseconds, position'), 'DROP INDEX stream_head_namespace_id'],
    });
  }
}

const withoutRuns = ` AND kind <> 'DecisionRun'`;
const indexStreams = 'CREATE INDEX stream_head_namespace_id ON stream_head (namespace_id)';

function indexedWhere(kinds: string, order: string): readonly string[] {
  return [
    'DROP INDEX ledger_entry_namespace_kind_time',
    `CREATE INDEX ledger_entry_namespace_kind_time ON ledger_entry (namespace_id, kind${order})
      WHERE namespace_id IS NOT NULL${kinds} AND payload_hash IS NULL`,
  ];
}
