import type { ReactElement, ReactNode } from 'react';
import { controller as texts } from '../../messages/controller.ts';
import { Timestamp } from '../time/timestamp.tsx';
import { SeverityShape } from './state-badge.tsx';

interface DegradationsProps {
  readonly degraded: readonly {
    readonly what: string;
    readonly since: string;
    readonly message: string | null;
  }[];
  /** What to do is said, too. */
  readonly isLong?: boolean;
  /** At the end of the list. */
  readonly children?: ReactNode;
}

/** What the controller itself cannot do now; nothing where there is none. */
export function Degradations({ degraded, isLong = false, children }: DegradationsProps): ReactElement | null {
  if (degraded.length === 0) return null;
  return (
    <ul className="degraded">
      {degraded.map(({ what, since, message }) => (
        <li key={what}>
          <SeverityShape severity="critical" />
          <span>{texts.degraded[what]?.what ?? what}</span>
          <span className="quiet">
            {texts.since} <Timestamp time={since} />
          </span>
          {message === null ? null : <bdi className="degraded-why">{message}</bdi>}
          {isLong ? <span className="degraded-todo">{texts.degraded[what]?.todo}</span> : null}
        </li>
      ))}
      {children === undefined ? null : <li>{children}</li>}
    </ul>
  );
}
