/**
 * What the database does that everything is stored in, by the code of its {@link AdapterError}: in words without an address,
 * also for probes, which nobody signs in for. A code without words is given back.
 */
export function databaseCondition(code: string): string {
  return conditions[code] ?? code;
}

const conditions: Readonly<Record<string, string>> = {
  NotOpen: 'it is not open yet',
  ConnectionFailed: 'it takes no connections',
  AccessDenied: 'it refuses the controller’s user',
  Timeout: 'it does not answer in time',
  QueueFull: 'it answers too slowly',
  Contended: 'another session keeps a lock in it',
  DatabaseFull: 'its disk is full',
  FileGone: 'its file is gone, or another is in its place',
  ReadOnly: 'it takes no writes',
  DatabaseCorrupt: 'its file is damaged',
};
