import type { MigrationInterface, QueryRunner } from 'typeorm';
import { fillNamespacesOfActions, fillPoliciesOfActions, fillScopesOfActions } from './fill-entry-names.ts';
import { runStatements } from './run-statements.ts';

/**
 * Gives operators' actions that the release before appends beside this one, as in a rollout, the namespace and the scope that
 * they concern, and those that it has appended since the migrations that brought these: without them no list of a policy
 * finds such an action, and the ledger does not verify. On SQLite only one process appends.
 */
export class NameActionsOfEarlierReleases1795543200000 implements MigrationInterface {
  readonly name = 'NameActionsOfEarlierReleases1795543200000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, { sqlite: [], postgres: [nameOf, actionScope, actionNames, trigger] });
    await fillNamespacesOfActions(runner);
    await fillPoliciesOfActions(runner);
    await fillScopesOfActions(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: [],
      postgres: [
        'DROP TRIGGER ledger_entry_action_names ON ledger_entry',
        'DROP FUNCTION ledger_entry_action_names()',
        'DROP FUNCTION ledger_action_scope(JSON)',
        'DROP FUNCTION ledger_name_id(TEXT, TEXT)',
      ],
    });
  }
}

/** The number of a name, which is stored first where it is new. */
const nameOf = `CREATE FUNCTION ledger_name_id(of_kind TEXT, named TEXT) RETURNS BIGINT LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO entry_name (kind, name) SELECT of_kind, named WHERE named IS NOT NULL ON CONFLICT DO NOTHING;
    RETURN (SELECT id FROM entry_name WHERE kind = of_kind AND name = named);
  END $$`;

/** By the arguments of an action, as the ledger names the scope of one that is appended now. */
const actionScope = `CREATE FUNCTION ledger_action_scope(given JSON) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN kind = 'Policy' THEN substring(named FROM '^[a-z0-9][a-z0-9-]{0,62}/[a-z0-9][a-z0-9.-]{0,252}$')
    WHEN kind = 'Cluster' THEN kind
    WHEN named ~ '^[!-~]+$' AND length(named) <= 300 THEN kind || ' ' || named
  END FROM (SELECT kind, given ->> key AS named FROM (
    VALUES (1, 'policy', 'Policy'), (2, 'namespace', 'Namespace'), (3, 'metricSource', 'MetricSource'),
      (4, 'source', 'Source'), (5, 'scope', 'Cluster')
  ) AS form (place, key, kind)
  WHERE json_typeof(given -> key) = 'string' AND (kind <> 'Cluster' OR given ->> key = kind)
  ORDER BY place LIMIT 1) AS smallest $$`;

/** What was refused may name anything; no entry is lost for what cannot be read of it. */
const actionNames = `CREATE FUNCTION ledger_entry_action_names() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    action JSON;
    namespace TEXT;
  BEGIN
    action := NEW.payload::JSON;
    IF action ->> 'action' <> 'SyncSource' THEN
      NEW.policy_id := ledger_name_id('Policy', ledger_action_scope(action -> 'arguments'));
    END IF;
    namespace := CASE
      WHEN json_typeof(action -> 'arguments' -> 'policy') = 'string'
        THEN substring(action -> 'arguments' ->> 'policy' FROM '^([^/]*)/')
      WHEN json_typeof(action -> 'arguments' -> 'namespace') = 'string' THEN action -> 'arguments' ->> 'namespace'
    END;
    IF NEW.namespace_id IS NULL THEN
      NEW.namespace_id := ledger_name_id('Namespace', substring(namespace FROM '^[a-z0-9][a-z0-9-]{0,62}$'));
    END IF;
    RETURN NEW;
  EXCEPTION WHEN data_exception THEN RETURN NEW;
  END $$`;

const trigger = `CREATE TRIGGER ledger_entry_action_names BEFORE INSERT ON ledger_entry FOR EACH ROW
  WHEN (NEW.kind = 'OperatorAction' AND NEW.policy_id IS NULL AND NEW.dictionary IS NULL)
  EXECUTE FUNCTION ledger_entry_action_names()`;
