import type { ReactElement } from 'react';
import { Link, Navigate, useParams } from 'react-router';
import { actorName } from '#kernel';
import { seldomSeconds, useAnswer } from '../../api/use-answer.ts';
import { Panel } from '../../components/frames/panel.tsx';
import type { ShownQuery } from '../../components/frames/shown-query.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { isolated } from '../../components/words/isolated.ts';
import { entry as texts } from '../../messages/entry.ts';
import { askedText, entryKindWords } from '../../messages/entry-words.ts';
import { auditAround } from '../../navigation/audit-around.ts';
import { links } from '../../navigation/links.ts';
import { type LedgerEntry, ledgerEntryOf } from './a-ledger-entry.ts';
import { LedgerEntryDocument } from './entry.generated.ts';
import { EntryDetails } from './entry-details.tsx';
import { EntryFacts } from './entry-facts.tsx';
import { FactList } from './fact-list.tsx';

import './entry.css';

/** One entry of the ledger, of any kind: what it records, what it concerns, and where it stands. */
export default function EntryPage(): ReactElement {
  const { id = '' } = useParams();
  // What is recorded does not change; it may expire.
  const answer = useAnswer(LedgerEntryDocument, { id }, { everySeconds: seldomSeconds });
  const query = { document: LedgerEntryDocument, variables: { id } };
  if (answer.data === undefined) {
    return (
      <>
        <h1>{texts.title}</h1>
        <Panel title={texts.recorded} answer={answer} query={query}>
          {null}
        </Panel>
      </>
    );
  }
  const entry = ledgerEntryOf(answer.data.node);
  if (entry === undefined) {
    return (
      <EmptyState isPage title={texts.missing.title}>
        <p>{texts.missing.text}</p>
        <Link to={links.audit}>{texts.missing.audit}</Link>
      </EmptyState>
    );
  }
  // It has a page with all that led there.
  if (entry.__typename === 'Decision') return <Navigate replace to={links.decision(id)} />;
  return (
    <>
      <Head entry={entry} />
      <div className="entry-columns">
        <div className="entry-column">
          <Panel title={texts.recorded} answer={answer} query={query}>
            <EntryFacts entry={entry} />
          </Panel>
          <EntryDetails entry={entry} query={query} />
        </div>
        <InLedger entry={entry} query={query} />
      </div>
    </>
  );
}

interface EntryProps {
  readonly entry: LedgerEntry;
}

function Head({ entry }: EntryProps): ReactElement {
  const { kind, time, concerns } = entry;
  const isCount = 'from' in entry;
  return (
    <header className="entry-head">
      <p className="entry-kind">
        <span className="badge">{entryKindWords[kind]}</span>
        {concerns === null ? null : (
          <Link to={links.policy(concerns)}>
            {concerns.namespace}/{concerns.name}
          </Link>
        )}
      </p>
      <h1>{titleOf(entry)}</h1>
      {isCount ? <p className="entry-count">{texts.replicas(entry.from, entry.to)}</p> : null}
      <p className="quiet">
        <Timestamp time={time} /> · <Timestamp time={time} form="ago" />
      </p>
    </header>
  );
}

/** What its kind is, as far as its fields say more. */
function titleOf(entry: LedgerEntry): string {
  if ('operatorAction' in entry)
    return askedText(isolated(actorName(entry.actor)), entry.operatorAction, entry.arguments);
  if ('documentBefore' in entry) {
    if (entry.documentBefore === null) return texts.policyCame;
    return entry.documentAfter === null ? texts.policyLeft : texts.policyChanged;
  }
  return texts.kinds[entry.kind];
}

/** Seconds before and after an entry in which what led to it, and followed, is likely to be. */
const around = 120;

function InLedger({ entry, query }: EntryProps & { readonly query: ShownQuery }): ReactElement {
  const { id, kind, cluster, hash, previousHash, concerns, time } = entry;
  const before = idBefore(id);
  const rows = [
    [texts.ledger.id, <code>{id}</code>],
    [texts.ledger.kind, <code>{kind}</code>],
    [texts.ledger.cluster, cluster],
    [texts.ledger.hash, <code>{hash}</code>],
    [texts.ledger.previous, <code>{previousHash}</code>],
  ] as const;
  const from = Date.parse(time) / 1_000 - around;
  return (
    <Panel title={texts.ledger.title} query={query}>
      <FactList rows={rows} />
      <p className="entry-links">
        {before === undefined ? null : <Link to={links.entry(before)}>{texts.ledger.before}</Link>}
        <Link to={auditAround(from, 2 * around, concerns === null ? {} : { policy: concerns })}>
          {texts.ledger.around}
        </Link>
      </p>
      <p className="quiet">{texts.ledger.link}</p>
    </Panel>
  );
}

/** The entry before it in its stream; undefined: it is the first. */
function idBefore(id: string): string | undefined {
  const [, stream = '', number = ''] = /^(.*)#(\d+)$/.exec(id) ?? [];
  return number === '' || BigInt(number) <= 1n ? undefined : `${stream}#${BigInt(number) - 1n}`;
}
