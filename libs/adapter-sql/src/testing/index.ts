export { openReadConnection } from '../open-read-connection.ts';
export { postgresDataSource } from '../postgres/migrate-postgres.ts';
export { sqliteDataSource } from '../sqlite/migrate-sqlite.ts';
