import type { ReactElement } from 'react';
import { useNow } from '../../api/clock.ts';
import { durationText } from '../../components/time/duration.ts';
import { reports as texts } from '../../messages/reports.ts';
import type { ReportRowFragment } from './reports.generated.ts';

interface ReportProgressProps {
  readonly report: Pick<ReportRowFragment, 'state' | 'requestedAt' | 'finishedAt'>;
}

/** For how long a report is being made, or how long it took. How much is left the server does not know. */
export function ReportProgress({ report }: ReportProgressProps): ReactElement | null {
  const { state, requestedAt, finishedAt } = report;
  const { server } = useNow();
  const asked = Date.parse(requestedAt);
  if (state === 'Waiting' || state === 'Making') {
    return (
      <span className="report-progress">
        <progress aria-label={texts.progress} />
        <span className="quiet">{texts.elapsed(durationText(server - asked))}</span>
      </span>
    );
  }
  if (state !== 'Ready' || finishedAt === null) return null;
  return <span className="quiet">{texts.tookText(durationText(Date.parse(finishedAt) - asked))}</span>;
}
