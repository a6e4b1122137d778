import type { ReactElement } from 'react';
import { decision } from '../../messages/decision.ts';
import { Timestamp } from '../time/timestamp.tsx';

/** What operators did to let a version of a policy into force, a line each. */
export function AllowingActions({ allowedBy }: AllowingActionsProps): ReactElement {
  return (
    <>
      {allowedBy.map(({ action, by, reason, time }) => (
        <p key={`${action} ${by} ${time ?? ''}`}>
          {decision.blame.allowing(action, by)}
          {reason === '' ? '' : `: ${reason}`}{' '}
          {time === null ? null : (
            <span className="quiet">
              · <Timestamp time={time} form="ago" />
            </span>
          )}
        </p>
      ))}
    </>
  );
}

export interface AllowingActionsProps {
  readonly allowedBy: readonly {
    readonly action: string;
    readonly by: string;
    /** Empty: none was kept. */
    readonly reason: string;
    /** RFC 3339; null: it was not kept. */
    readonly time: string | null;
  }[];
}
