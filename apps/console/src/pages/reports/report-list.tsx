import { type ReactElement, Suspense, useState } from 'react';
import { lazyPart } from '../../components/states/lazy-part.tsx';
import { SeverityShape } from '../../components/states/state-badge.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { reports as texts } from '../../messages/reports.ts';
import { ReportProgress } from './report-progress.tsx';
import type { ReportRowFragment } from './reports.generated.ts';

const ReportPreview = lazyPart(() => import('./report-preview.tsx'));

/** The reports that are kept, newest first, each to be looked at and downloaded. */
export function ReportList({ reports }: { readonly reports: readonly ReportRowFragment[] }): ReactElement {
  const [shown, setShown] = useState<string | undefined>();
  if (reports.length === 0) return <p className="quiet">{texts.none}</p>;
  return (
    <ul className="reports">
      {reports.map((report) => (
        <li key={report.id} className="report" data-keys="row">
          <ReportLine report={report} />
          <ReportTools
            report={report}
            isShown={shown === report.id}
            onShow={() => setShown(shown === report.id ? undefined : report.id)}
          />
          {shown === report.id ? (
            <Suspense fallback={<div className="skeleton" />}>
              <ReportPreview report={report} />
            </Suspense>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

const severities = { Waiting: 'quiet', Making: 'quiet', Ready: 'quiet', Failed: 'critical' } as const;

function ReportLine({ report }: { readonly report: ReportRowFragment }): ReactElement {
  const { state, period, owner, requestedAt, problem, nothingMatches, verification, filter } = report;
  const severity = severities[state];
  return (
    <div className="report-line">
      <span className="badge" data-severity={severity}>
        {severity === 'quiet' ? null : <SeverityShape severity={severity} />}
        {texts.states[state]}
      </span>
      <strong>{texts.period(dayOf(period.from), dayOf(period.until))}</strong>
      <span className="quiet">{period.timeZone}</span>
      <span>{filterText(filter)}</span>
      <span className="quiet">
        {texts.owner(owner)}, <Timestamp time={requestedAt} form="ago" />
      </span>
      <ReportProgress report={report} />
      {problem === null ? null : <span className="problem">{problem}</span>}
      {nothingMatches === null ? null : <span>{texts.nothingMatches(nothingMatches)}</span>}
      {verification === null ? null : <Verification {...verification} />}
    </div>
  );
}

function Verification({
  status,
  fault,
}: {
  readonly status: string;
  readonly fault: string | null;
}): ReactElement {
  if (status !== 'Broken') return <span className="quiet">{texts.consistent}</span>;
  return (
    <span className="badge" data-severity="critical">
      <SeverityShape severity="critical" />
      {texts.broken(fault ?? '')}
    </span>
  );
}

/** Of the report's own time zone, which stands beside it: midnights are days, other moments are written as everywhere. */
function dayOf(time: string): string {
  return /T00:00:00/.test(time) ? time.slice(0, 10) : time.slice(0, 19).replace('T', ' ');
}

function filterText({ namespaces, policies, teams, visibleNamespaces }: ReportRowFragment['filter']): string {
  const asked = [...(namespaces ?? []), ...(policies ?? []), ...(teams ?? [])];
  if (asked.length > 0) return asked.join(', ');
  return visibleNamespaces === null ? texts.everything : texts.visible(visibleNamespaces);
}

function ReportTools({ report, isShown, onShow }: ToolsProps): ReactElement | null {
  const { state, format, bytes, textPath, expiresAt } = report;
  if (state !== 'Ready') return null;
  return (
    <div className="report-tools">
      <button type="button" className="button" aria-expanded={isShown} onClick={onShow}>
        {isShown ? texts.hide : texts.preview}
      </button>
      <a className="button" href={textPath} download>
        {texts.download} <span className="quiet">{`${format.toUpperCase()} ${texts.size(bytes ?? 0)}`}</span>
      </a>
      {expiresAt === null ? null : (
        <span className="quiet">
          {texts.keptUntil} <Timestamp time={expiresAt} />
        </span>
      )}
    </div>
  );
}

interface ToolsProps {
  readonly report: ReportRowFragment;
  readonly isShown: boolean;
  readonly onShow: () => void;
}
