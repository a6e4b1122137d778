import type { MigrationInterface, QueryRunner } from 'typeorm';
import { clearNamespacesOfActions, fillNamespacesOfActions } from './fill-entry-names.ts';

/** Gives operators' actions of before the namespace that they concern: lists of a namespace find them by it. */
export class AddNamespacesOfActions1795432401000 implements MigrationInterface {
  readonly name = 'AddNamespacesOfActions1795432401000';

  async up(runner: QueryRunner): Promise<void> {
    await fillNamespacesOfActions(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await clearNamespacesOfActions(runner);
  }
}
