import { type ReactElement, useEffect } from 'react';
import { isDatabaseAway } from '../api/database-outage.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Timestamp } from '../components/time/timestamp.tsx';
import { common } from '../messages/common.ts';
import { useStore } from '../state/store.ts';
import { DatabaseNoteDocument } from './database-note.generated.ts';

const texts = common.database;

/** Until the database is back: pages ask again by themselves, and so does this. */
const everySeconds = 5;

/** On every page, once an answer has lacked what the database would have had to say, until that is back. */
export function DatabaseNote(): ReactElement | null {
  return useStore(isDatabaseAway) ? <Away /> : null;
}

function Away(): ReactElement {
  const { data, problem } = useAnswer(DatabaseNoteDocument, {}, { everySeconds, isKept: false });
  const since = data?.degraded.find(({ what }) => what === 'ledger')?.since;
  const isBack = data !== undefined && problem === undefined && since === undefined;
  useEffect(() => {
    if (isBack) isDatabaseAway.set(false);
  }, [isBack]);
  return (
    <p className="notice" role="status">
      {texts.away}
      {since === undefined ? null : (
        <>
          {' '}
          {texts.since} <Timestamp time={since} />
        </>
      )}
      {'. '}
      {texts.meanwhile}
    </p>
  );
}
