import { type ReactElement, useEffect } from 'react';
import { Link } from 'react-router';
import { useAnswer } from '../../api/use-answer.ts';
import { useAskingAgain } from '../../api/use-events.ts';
import { Panel } from '../../components/frames/panel.tsx';
import { QueryButton } from '../../components/frames/query-panel.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Age } from '../../components/time/age.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { plainLook } from '../../components/words/plain-words.ts';
import { sources as texts } from '../../messages/sources.ts';
import { links } from '../../navigation/links.ts';
import { notePlaces } from '../../navigation/places.ts';
import { CommitLine } from '../source/commit-line.tsx';
import { SourceSyncsDocument } from '../source/source.generated.ts';
import { SourceActionButton } from '../source/source-action-button.tsx';
import { SourceState } from '../source/source-state.tsx';
import { SourcesPageDocument, type SourcesPageQuery } from './sources.generated.ts';

import '../source/source.css';
import './sources.css';

/** The repositories that policies come from: each one's health, what of it is in force, and what waits. */
export default function SourcesPage(): ReactElement {
  const answer = useAnswer(SourcesPageDocument, {}, { takesParts: true });
  useAskingAgain(SourceSyncsDocument, {}, answer.askAgain);
  const sources = answer.data?.sources;
  useEffect(() => {
    if (sources === undefined) return;
    notePlaces('source', () => sources.map(({ name }) => ({ title: name, opens: links.source(name) })));
  }, [sources]);
  return (
    <>
      <header className="panel-header">
        <h1>{texts.title}</h1>
        <span className="panel-about">
          {sources === undefined ? null : <Age of={answer} />}
          <QueryButton query={{ document: SourcesPageDocument, variables: {} }} />
        </span>
      </header>
      {sources === undefined ? (
        <Panel title={texts.title} answer={answer}>
          {null}
        </Panel>
      ) : null}
      {sources?.length === 0 ? <EmptyState title={texts.emptyTitle}>{texts.empty}</EmptyState> : null}
      <div className="sources">
        {sources?.map((source) => (
          <SourceCard key={source.id} source={source} onDone={answer.refresh} />
        ))}
      </div>
    </>
  );
}

function SourceCard({ source, onDone }: SourceCardProps): ReactElement {
  const { name, url, ref, commit, lastSync, lastSyncTime, viewerRoles } = source;
  return (
    <article className="panel" aria-label={name}>
      <header className="panel-header">
        <h2>
          <Link data-keys="row" to={links.source(name)}>
            {name}
          </Link>
        </h2>
        <SourceState source={source} />
        <Waiting source={source} />
        <span className="panel-tools">
          <SourceActionButton
            action={{ kind: 'sync', source: name }}
            viewerRoles={viewerRoles}
            onDone={onDone}
          />
        </span>
      </header>
      {commit === null ? (
        <p>{texts.nothingInForce}</p>
      ) : (
        <CommitLine source={name} url={url} commit={commit} />
      )}
      <p className="quiet sources-url">
        {url} · {texts.follows(ref)} · {texts.lookedAt}{' '}
        {lastSyncTime === null ? texts.never : <Timestamp time={lastSyncTime} form="ago" />}
        {lastSync === null ? null : `: ${plainLook(lastSync.result, lastSync.message) || lastSync.result}`}
      </p>
    </article>
  );
}

/** How many changes wait, and how many of them the caller may not see whole. */
function Waiting({
  source: { name, holds, notVisibleHoldCount },
}: Pick<SourceCardProps, 'source'>): ReactElement {
  const waiting = holds.filter(({ isRejected }) => !isRejected).length;
  return (
    <>
      {waiting === 0 ? null : <Link to={links.source(name)}>{texts.waiting(waiting)}</Link>}
      {notVisibleHoldCount === 0 ? null : (
        <Link to={links.source(name)}>{texts.notVisible(notVisibleHoldCount)}</Link>
      )}
    </>
  );
}

interface SourceCardProps {
  readonly source: SourcesPageQuery['sources'][number];
  readonly onDone: () => void;
}
