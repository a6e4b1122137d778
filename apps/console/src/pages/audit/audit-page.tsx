import { type ReactElement, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useAnswer } from '../../api/use-answer.ts';
import { Panel } from '../../components/frames/panel.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { audit as texts } from '../../messages/audit.ts';
import { entryKindWords } from '../../messages/entry-words.ts';
import { links } from '../../navigation/links.ts';
import type { AuditFilterInput } from '../../schema.generated.ts';
import { timeZone } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { AuditPageDocument, type TimelineEntryFragment } from './audit.generated.ts';
import { auditFilterOf } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { entrySummary } from './entry-summary.ts';
import { LedgerSealPanel } from './ledger-seal-panel.tsx';

import './audit.css';

/** Where a link within the page leads to. */
const sealId = 'seal';

const pageSize = 50;
/** Pages that are in the document; of older ones the newest give way. */
const maximumPages = 6;

/** Everything that is recorded, newest first, and what proves it. */
export default function AuditPage(): ReactElement {
  const [search] = useSearchParams();
  const where = auditFilterOf(search);
  return (
    <>
      <header className="panel-header">
        <h1>{texts.title}</h1>
        <span className="panel-about">
          <a href={`#${sealId}`}>{texts.toSeal}</a>
        </span>
      </header>
      <AuditFilters key={search.toString()} />
      <Timeline key={JSON.stringify(where)} where={where} />
      <div id={sealId}>
        <LedgerSealPanel />
      </div>
    </>
  );
}

/** A page at a time; older pages are added below and do not change any more. */
function Timeline({ where }: { readonly where: AuditFilterInput }): ReactElement {
  const [cursors, setCursors] = useState<readonly (string | null)[]>([null]);
  return (
    <>
      {cursors[0] === null ? null : (
        <button type="button" className="button" onClick={() => setCursors([null])}>
          {texts.newest}
        </button>
      )}
      {cursors.map((after, index) => (
        <TimelinePage
          key={after}
          after={after}
          where={where}
          onOlder={
            index === cursors.length - 1
              ? (cursor) => setCursors([...cursors, cursor].slice(-maximumPages))
              : undefined
          }
        />
      ))}
    </>
  );
}

interface TimelinePageProps {
  readonly after: string | null;
  readonly where: AuditFilterInput;
  /** Undefined: an older page is shown already. */
  readonly onOlder: ((cursor: string) => void) | undefined;
}

function TimelinePage({ after, where, onOlder }: TimelinePageProps): ReactElement {
  const variables = { first: pageSize, after, where };
  const answer = useAnswer(AuditPageDocument, variables, { everySeconds: after === null ? 15 : 0 });
  const page = answer.data?.auditEntries;
  const cursor = page?.pageInfo.hasNextPage === true ? page.pageInfo.endCursor : null;
  return (
    <Panel
      title={texts.timeline}
      answer={answer}
      query={{ document: AuditPageDocument, variables }}
      awaited="list"
    >
      {page?.edges.length === 0 ? <p className="quiet">{texts.empty}</p> : null}
      <ol className="timeline">
        {page?.edges.map(({ node }) => (
          <TimelineRow key={node.id} entry={node} />
        ))}
      </ol>
      {cursor === null || onOlder === undefined ? null : (
        <button type="button" className="button" onClick={() => onOlder(cursor)}>
          {texts.older}
        </button>
      )}
    </Panel>
  );
}

function TimelineRow({ entry }: { readonly entry: TimelineEntryFragment }): ReactElement {
  const { id, time, kind, hash, policy } = entry;
  const zone = useStore(timeZone);
  return (
    <li className="timeline-row" title={`${kind} ${id} ${hash}`}>
      <Timestamp time={time} />
      <span className="badge">{entryKindWords[kind]}</span>
      <span className="timeline-policy">
        {policy === null ? null : (
          <Link to={links.policy(policy)}>{`${policy.namespace}/${policy.name}`}</Link>
        )}
      </span>
      <span className="timeline-what">
        <Link data-keys="row" to={kind === 'Decision' ? links.decision(id) : links.entry(id)}>
          {entrySummary(entry, zone)}
        </Link>
      </span>
    </li>
  );
}
