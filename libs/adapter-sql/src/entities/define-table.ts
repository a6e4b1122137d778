import { EntitySchema, type EntitySchemaColumnOptions, EntitySchemaOptions } from 'typeorm';
import type { SqlDialect } from '../sql-database.ts';

/** What a table is made of, as TypeORM names it. */
export type TableDefinition = Pick<EntitySchemaOptions<object>, 'name' | 'tableName' | 'columns' | 'indices'>;

/** A table without decorators, which Node's type stripping cannot do. */
export function defineTable(definition: TableDefinition): EntitySchema {
  return new EntitySchema(Object.assign(new EntitySchemaOptions<object>(), definition));
}

/** A text column. */
export function text(options: Partial<EntitySchemaColumnOptions> = {}): EntitySchemaColumnOptions {
  return { type: 'text', ...options };
}

/** A column of names, which are compared by code point: in PostgreSQL that must be asked for. */
export function name(
  dialect: SqlDialect,
  options: Partial<EntitySchemaColumnOptions> = {},
): EntitySchemaColumnOptions {
  return text({ ...options, ...(dialect === 'postgres' ? { collation: 'C' } : {}) });
}

/** A 64-bit integer: a bigint in the domain, a text in TypeORM. */
export function int64(
  dialect: SqlDialect,
  options: Partial<EntitySchemaColumnOptions> = {},
): EntitySchemaColumnOptions {
  return { type: dialect === 'postgres' ? 'bigint' : 'integer', ...options };
}
