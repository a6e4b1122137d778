import { type DatabaseOutage, outageText } from '../database/database-away.ts';
import type { OutageJournal } from '../ledger/outage-journal.ts';

type Journal = Pick<OutageJournal, 'refusing' | 'counts'>;

/** What a database that is not reached means, without an address: anybody may ask a probe. Undefined: it is reached. */
export function outageNote(outage: DatabaseOutage | null, journal: Journal): string | undefined {
  return outage === null ? undefined : `${outageText(outage)}: ${meanwhileText(journal)}`;
}

/** What this process does while the database is away. */
export function meanwhileText({ refusing, counts: { records } }: Journal): string {
  const keeps =
    refusing === null
      ? `the journal keeps what is decided (${records} ${records === 1 ? 'record waits' : 'records wait'})`
      : 'what is decided is not kept, since the journal takes nothing either';
  return `policies in force are decided from memory, ${keeps}, and nothing is scaled until the database is back`;
}
