import {
  EntitySchema,
  type EntitySchemaColumnOptions,
  type EntitySchemaIndexOptions,
  EntitySchemaOptions,
} from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';

export interface TableDefinition {
  readonly name: string;
  readonly tableName: string;
  readonly columns: Readonly<Record<string, EntitySchemaColumnOptions>>;
  readonly indices?: EntitySchemaIndexOptions[];
}

/** Defines a table without decorators, which Node's type stripping does not support. */
export function defineTable({ name, tableName, columns, indices = [] }: TableDefinition): EntitySchema {
  const options = new EntitySchemaOptions<Record<string, unknown>>();
  options.name = name;
  options.tableName = tableName;
  options.columns = columns;
  options.indices = indices;
  return new EntitySchema(options);
}

export function text(options: Partial<EntitySchemaColumnOptions> = {}): EntitySchemaColumnOptions {
  return { type: 'text', ...options };
}

/** A column of names, compared by code point; PostgreSQL needs a collation for that. */
export function name(
  dialect: SqlDialect,
  options: Partial<EntitySchemaColumnOptions> = {},
): EntitySchemaColumnOptions {
  return text({ ...options, ...(dialect === 'postgres' ? { collation: 'C' } : {}) });
}

/** A 64-bit integer: bigint in the domain, text in TypeORM. */
export function int64(
  dialect: SqlDialect,
  options: Partial<EntitySchemaColumnOptions> = {},
): EntitySchemaColumnOptions {
  return { type: dialect === 'postgres' ? 'bigint' : 'integer', ...options };
}

export function bytes(
  dialect: SqlDialect,
  options: Partial<EntitySchemaColumnOptions> = {},
): EntitySchemaColumnOptions {
  return { type: dialect === 'postgres' ? 'bytea' : 'blob', ...options };
}

/** Makes a column number its rows; an integer primary key of SQLite does so by itself. */
export function identity(dialect: SqlDialect): object {
  return dialect === 'postgres' ? { generated: 'identity', generatedIdentity: 'ALWAYS' } : {};
}
