import { type ReactElement, useState } from 'react';
import { Link, useParams } from 'react-router';
import { useAnswer } from '../../api/use-answer.ts';
import { useAskingAgain } from '../../api/use-events.ts';
import { Panel } from '../../components/frames/panel.tsx';
import type { ShownQuery } from '../../components/frames/shown-query.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { plainLook } from '../../components/words/plain-words.ts';
import { sources as texts } from '../../messages/sources.ts';
import { links } from '../../navigation/links.ts';
import { CommitLine } from './commit-line.tsx';
import { isOfRollback } from './is-of-rollback.ts';
import { ReleasedPolicies } from './released-policies.tsx';
import { RevisionList } from './revision-list.tsx';
import {
  SourceHoldsToldDocument,
  SourcePageDocument,
  type SourcePageQuery,
  SourceSyncsDocument,
} from './source.generated.ts';
import { SourceActionButton } from './source-action-button.tsx';
import { SourceHolds } from './source-holds.tsx';
import { SourceState } from './source-state.tsx';

import './source.css';

type Source = Extract<SourcePageQuery['node'], { readonly __typename: 'Source' }>;

const pageSize = 20;
/** The API has no page of revisions: so many at most are asked for at once. */
const maximumRevisions = 100;

/** A source: what of it is in force, what waits, and how its commits were judged. */
export default function SourcePage(): ReactElement {
  const { name = '' } = useParams();
  const [count, setCount] = useState(pageSize);
  const variables = { id: `source:${name}`, revisions: count };
  const answer = useAnswer(SourcePageDocument, variables, { takesParts: true });
  useAskingAgain(SourceSyncsDocument, { source: name }, answer.askAgain);
  useAskingAgain(SourceHoldsToldDocument, { source: name }, answer.askAgain);
  if (answer.data === undefined) {
    return (
      <>
        <h1>{name}</h1>
        <Panel title={texts.inForce} answer={answer}>
          {null}
        </Panel>
      </>
    );
  }
  const source = answer.data.node;
  if (source?.__typename !== 'Source') {
    return (
      <EmptyState isPage title={texts.unknownTitle}>
        {texts.unknown(name)}
        <Link to={links.sources}>{texts.all}</Link>
      </EmptyState>
    );
  }
  const query = { document: SourcePageDocument, variables };
  return (
    <>
      <SourceHeader source={source} onDone={answer.refresh} />
      <Holds source={source} query={query} onDone={answer.refresh} />
      <Panel title={texts.inForce} answer={answer} query={query}>
        <InForce source={source} />
      </Panel>
      {source.released.length === 0 ? null : (
        <Panel title={texts.released} query={query}>
          <ReleasedPolicies source={name} released={source.released} onDone={answer.refresh} />
        </Panel>
      )}
      <Panel title={texts.revisions} query={query}>
        <Revisions source={source} />
        {source.recentRevisions?.length === count && count < maximumRevisions ? (
          <button type="button" className="button" onClick={() => setCount(maximumRevisions)}>
            {texts.more}
          </button>
        ) : null}
      </Panel>
    </>
  );
}

/** What a person may decide, and apart from it what no decision ends: it waits until the source is resumed. */
function Holds({
  source: { name, holds, notVisibleHoldCount },
  query,
  onDone,
}: HoldPanelsProps): ReactElement {
  const decided = holds.filter((hold) => !isOfRollback(hold));
  const pinned = holds.filter(isOfRollback);
  return (
    <>
      {decided.length === 0 ? null : (
        <Panel title={texts.holds(waiting(decided).length)} query={query}>
          <SourceHolds source={name} holds={decided} onDone={onDone} />
        </Panel>
      )}
      {pinned.length === 0 ? null : (
        <Panel title={texts.untilResumed} query={query}>
          <SourceHolds source={name} holds={pinned} onDone={onDone} />
        </Panel>
      )}
      {notVisibleHoldCount === 0 ? null : (
        <Panel title={texts.notVisible(notVisibleHoldCount)} query={query}>
          <p>{texts.notVisibleWhere}</p>
        </Panel>
      )}
    </>
  );
}

interface HoldPanelsProps extends HeaderProps {
  readonly query: ShownQuery;
}

function SourceHeader({ source, onDone }: HeaderProps): ReactElement {
  const { name, pin, viewerRoles } = source;
  return (
    <header className="panel-header">
      <h1>{name}</h1>
      <SourceState source={source} />
      <span className="panel-tools">
        {pin === null ? null : (
          <SourceActionButton
            action={{ kind: 'resume', source: name }}
            viewerRoles={viewerRoles}
            onDone={onDone}
          />
        )}
        <Link className="button" to={links.interventionIn('Source', name)}>
          {texts.intervene}
        </Link>
        <SourceActionButton
          action={{ kind: 'sync', source: name }}
          viewerRoles={viewerRoles}
          onDone={onDone}
        />
      </span>
    </header>
  );
}

interface HeaderProps {
  readonly source: Source;
  readonly onDone: () => void;
}

function InForce({ source }: { readonly source: Source }): ReactElement {
  const { name, url, ref, commit, pin, lastSync, lastSyncTime, staleSince } = source;
  return (
    <>
      {commit === null ? (
        <p>{texts.nothingInForce}</p>
      ) : (
        <CommitLine source={name} url={url} commit={commit} />
      )}
      <dl className="facts">
        <dt>{texts.repository}</dt>
        <dd>
          {url} · {pin === null ? texts.follows(ref) : texts.pin(pin.by, pin.reason)}
        </dd>
        <dt>{texts.lastLook}</dt>
        <dd>
          {lastSyncTime === null ? texts.never : <Timestamp time={lastSyncTime} form="ago" />}
          {lastSync === null ? null : ` · ${lastLookText(source, lastSync)}`}
        </dd>
        {staleSince === null ? null : (
          <>
            <dt>{texts.staleSince}</dt>
            <dd>
              <Timestamp time={staleSince} />
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

/** What was rejected waits for nobody. */
function waiting(holds: Source['holds']): Source['holds'] {
  return holds.filter(({ isRejected }) => !isRejected);
}

/** What is held is said once, where it is decided. */
function lastLookText({ holds, pin }: Source, { result, message, commit }: Look): string {
  // What it said is about more than the caller may see.
  if (message === '') return result;
  const isSaidAbove = waiting(holds).some((hold) => hold.commit === commit?.hash);
  return `${result}: ${isSaidAbove ? texts.saidAbove(pin !== null) : plainLook(result, message)}`;
}

type Look = NonNullable<Source['lastSync']>;

function Revisions({
  source: { name, url, holds, recentRevisions, viewerRoles },
}: {
  readonly source: Source;
}): ReactElement {
  if (recentRevisions === null) return <p className="quiet">{texts.revisionsUnknown}</p>;
  return recentRevisions.length === 0 ? (
    <p className="quiet">{viewerRoles.includes('viewer') ? texts.noRevisions : texts.hiddenRevisions}</p>
  ) : (
    <RevisionList source={name} url={url} revisions={recentRevisions} holds={holds} />
  );
}
