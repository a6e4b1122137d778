import type { ReactElement } from 'react';
import { SeverityShape } from '../../components/states/state-badge.tsx';
import type { Severity } from '../../components/states/state-severity.ts';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { plainCauses } from '../../components/words/plain-words.ts';
import { sources as texts } from '../../messages/sources.ts';
import { CommitLine } from './commit-line.tsx';
import { isOfRollback } from './is-of-rollback.ts';
import { readRevisionDetails } from './revision-details.ts';
import type { SourceHoldFragment, SourceRevisionFragment } from './source.generated.ts';

/** The commits that were judged, newest first, each with what it came to. */
export function RevisionList({ source, url, revisions, holds }: RevisionListProps): ReactElement {
  const waiting = new Map(
    holds.filter(({ isRejected }) => !isRejected).map((hold) => [hold.commit, isOfRollback(hold)]),
  );
  return (
    <ol className="revisions">
      {revisions.map((revision) => (
        <li key={`${revision.commit.hash} ${revision.fetchedAt}`} className="revision-row" data-keys="row">
          <OutcomeBadge outcome={revision.outcome} />
          <span className="revision-time">
            <Timestamp time={revision.finishedAt} form="ago" />
          </span>
          <CommitLine source={source} url={url} commit={revision.commit} />
          <span className="revision-message quiet">
            {/* What still waits is said above, with what it would do. */}
            {revision.outcome === 'held' && waiting.has(revision.commit.hash)
              ? texts.saidAbove(waiting.get(revision.commit.hash) === true)
              : messageOf(revision)}
          </span>
        </li>
      ))}
    </ol>
  );
}

interface RevisionListProps {
  readonly source: string;
  readonly url: string;
  readonly revisions: readonly SourceRevisionFragment[];
  /** What waits for an approval, or until the source is resumed, or was rejected. */
  readonly holds: readonly Pick<SourceHoldFragment, 'causes' | 'commit' | 'isRejected'>[];
}

const severities: Readonly<Record<string, Severity>> = { held: 'attention', rejected: 'critical' };

/** What a revision came to, in a word. */
export function OutcomeBadge({ outcome }: { readonly outcome: string }): ReactElement {
  const severity = severities[outcome] ?? 'quiet';
  return (
    <span className="badge" data-severity={severity}>
      {severity === 'quiet' ? null : <SeverityShape severity={severity} />}
      {texts.outcomes[outcome] ?? outcome}
    </span>
  );
}

/** Of a rejected commit the first thing that is wrong says more than how many things are. */
function messageOf({ outcome, message, details }: SourceRevisionFragment): string {
  const { diagnostics } = readRevisionDetails(details);
  const first = outcome === 'rejected' ? diagnostics.find(({ severity }) => severity === 'error') : undefined;
  return first === undefined ? plainCauses(message) : `${first.file}:${first.line} ${first.message}`;
}
