import type { MigrationInterface, QueryRunner } from 'typeorm';
import { fillScopesOfActions } from './fill-entry-names.ts';

/**
 * Gives operators' actions on a namespace, a source, a source of metrics or the cluster the name of that as their policy's,
 * also those of before: lists of a policy find them by it. One that the release before appends has none, and is not found.
 */
export class AddScopesOfActions1795536000000 implements MigrationInterface {
  readonly name = 'AddScopesOfActions1795536000000';

  async up(runner: QueryRunner): Promise<void> {
    await fillScopesOfActions(runner);
  }

  /** The release before finds nothing by them. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}
