export { postgresDataSource } from '../postgres/migrate-postgres.ts';
export { openReadConnection } from '../reading/open-read-connection.ts';
export { sqliteDataSource } from '../sqlite/migrate-sqlite.ts';
