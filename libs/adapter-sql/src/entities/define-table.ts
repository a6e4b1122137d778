import {
  EntitySchema,
  type EntitySchemaColumnOptions,
  type EntitySchemaIndexOptions,
  EntitySchemaOptions,
} from 'typeorm';
import type { SqlDialect } from '../sql-database.ts';

/** What a table is made of, as TypeORM names it. */
export interface TableDefinition {
  readonly name: string;
  readonly tableName: string;
  readonly columns: Readonly<Record<string, EntitySchemaColumnOptions>>;
  readonly indices?: EntitySchemaIndexOptions[];
}

/** A table without decorators, which Node's type stripping cannot do. */
export function defineTable({ name, tableName, columns, indices = [] }: TableDefinition): EntitySchema {
  const options = new EntitySchemaOptions<Record<string, unknown>>();
  options.name = name;
  options.tableName = tableName;
  options.columns = columns;
  options.indices = indices;
  return new EntitySchema(options);
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

/** What numbers rows: SQLite's integer primary keys number themselves. */
export function identity(dialect: SqlDialect): object {
  return dialect === 'postgres' ? { generated: 'identity', generatedIdentity: 'ALWAYS' } : {};
}
