import type { ReactElement } from 'react';
import { decision } from '../../messages/decision.ts';
import { factText } from '../../messages/entry-words.ts';
import { Timestamp } from '../time/timestamp.tsx';
import { AllowingActions, type AllowingActionsProps } from './allowing-actions.tsx';
import { CommitName } from './commit-name.tsx';

/** Of a version of a policy that has left: when and how, by whose commit or action, and who let that happen. */
export function Removal({ title, version, source }: RemovalProps): ReactElement {
  const { validTo, departure, removedBy, removedByOperator, removalAllowedBy } = version;
  return (
    <>
      <p>
        {title === undefined ? null : <span className="quiet">{title} </span>}
        <Timestamp time={validTo} /> {factText('departure', departure)}{' '}
        {removedBy === null ? null : (
          <>
            <CommitName source={source} hash={removedBy.hash} /> <strong>{removedBy.subject}</strong>{' '}
            <span className="quiet">{removedBy.author}</span>
          </>
        )}
        {removedByOperator === null
          ? null
          : `${decision.blame.by(removedByOperator.by)}: ${removedByOperator.reason}`}
      </p>
      <AllowingActions allowedBy={removalAllowedBy ?? []} />
    </>
  );
}

interface RemovalProps {
  /** Undefined: it stands beside it. */
  readonly title?: string;
  readonly version: LeftVersion;
  readonly source: string;
}

/** As an answer has a version: which of them have left. */
interface EndedVersion {
  /** RFC 3339; null: in force. */
  readonly validTo: string | null;
  /** Null: in force, or a newer version followed. */
  readonly departure: string | null;
  readonly removedBy: { readonly hash: string; readonly subject: string; readonly author: string } | null;
  readonly removedByOperator: { readonly by: string; readonly reason: string } | null;
  /** Null: not known, or not the caller's to see. */
  readonly removalAllowedBy: AllowingActionsProps['allowedBy'] | null;
}

type LeftVersion = EndedVersion & { readonly validTo: string; readonly departure: string };

/** Whether a version left, and no newer one followed. */
export function hasLeft<V extends EndedVersion>(version: V): version is V & LeftVersion {
  return version.departure !== null && version.validTo !== null;
}
