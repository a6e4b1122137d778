import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runStatements } from './run-statements.ts';

/**
 * On PostgreSQL, leaves decisions out of the indexes of kinds and of namespaces, which took a fifth of what a decision of ten
 * pods takes on disk. Lists find all of them by their actions, those of a policy or a namespace by their streams, and those
 * of a commit in an index that does not contain the kind.
 */
export class ListDecisionsByAction1795425201000 implements MigrationInterface {
  readonly name = 'ListDecisionsByAction1795425201000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [],
      postgres: [
        ...replaced('kind_time', 'kind', "kind <> 'Decision'"),
        ...replaced('stream_kind_time', 'stream_id, kind', "kind <> 'Decision'"),
        ...replaced(
          'namespace_kind_time',
          'namespace_id, kind',
          "namespace_id IS NOT NULL AND kind <> 'DecisionRun' AND kind <> 'Decision'",
        ),
        ...replaced('commit_kind_time', 'commit_id, kind', "commit_id IS NOT NULL AND kind <> 'Decision'"),
        `CREATE INDEX ledger_entry_commit_decision_time ON ledger_entry (commit_id, time_nanoseconds, position)
          WHERE commit_id IS NOT NULL AND kind = 'Decision' AND payload_hash IS NULL`,
        'DROP INDEX ledger_entry_stream_action_time',
        `CREATE INDEX ledger_entry_stream_decision_time ON ledger_entry (stream_id, time_nanoseconds, position, action)
          WHERE kind = 'Decision' AND payload_hash IS NULL`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [],
      postgres: [
        ...replaced('kind_time', 'kind'),
        ...replaced('stream_kind_time', 'stream_id, kind'),
        ...replaced(
          'namespace_kind_time',
          'namespace_id, kind',
          "namespace_id IS NOT NULL AND kind <> 'DecisionRun'",
        ),
        ...replaced('commit_kind_time', 'commit_id, kind', 'commit_id IS NOT NULL'),
        'DROP INDEX ledger_entry_commit_decision_time',
        'DROP INDEX ledger_entry_stream_decision_time',
        `CREATE INDEX ledger_entry_stream_action_time ON ledger_entry (stream_id, action, time_nanoseconds, position)
          WHERE action IS NOT NULL AND payload_hash IS NULL`,
      ],
    });
  }
}

function replaced(name: string, columns: string, where?: string): readonly string[] {
  return [
    `DROP INDEX ledger_entry_${name}`,
    `CREATE INDEX ledger_entry_${name} ON ledger_entry (${columns}, time_nanoseconds, position)
      WHERE ${where === undefined ? '' : `${where} AND `}payload_hash IS NULL`,
  ];
}
