import type { ReactElement } from 'react';
import { SeverityShape } from '../../components/state-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { fleet as texts } from '../../messages/fleet.ts';
import type { FleetAroundQuery } from './fleet.generated.ts';

/** What the controller itself cannot do now. */
export function Degradations({ degraded }: DegradationsProps): ReactElement | null {
  if (degraded.length === 0) return null;
  return (
    <ul className="fleet-degraded">
      {degraded.map(({ what, since }) => (
        <li key={what}>
          <SeverityShape severity="critical" />
          <span>{texts.degraded[what] ?? what}</span>
          <span className="quiet">
            {texts.since} <Timestamp time={since} />
          </span>
        </li>
      ))}
    </ul>
  );
}

interface DegradationsProps {
  readonly degraded: FleetAroundQuery['degraded'];
}
