import { type ReactElement, useState } from 'react';
import { Link } from 'react-router';
import { useAnswer } from '../../api/use-answer.ts';
import { Panel } from '../../components/frames/panel.tsx';
import { SeverityShape } from '../../components/states/state-badge.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { reports as texts } from '../../messages/reports.ts';
import { links } from '../../navigation/links.ts';
import { ReportRequest } from './report-form.tsx';
import { ReportList } from './report-list.tsx';
import { ReportsPageDocument, type ReportsPageQuery } from './reports.generated.ts';

import './reports.css';

/** While one is made, it is asked for more often. */
const seconds = { usual: 30, pending: 2 } as const;

/** Reports of what happened in a period: asked for, looked at, downloaded. */
export default function ReportsPage(): ReactElement {
  const [everySeconds, setEverySeconds] = useState<number>(seconds.usual);
  const answer = useAnswer(ReportsPageDocument, {}, { everySeconds });
  const { reports, reportSchedules } = answer.data ?? { reports: [], reportSchedules: [] };
  const isPending = reports.some(({ state }) => state === 'Waiting' || state === 'Making');
  const wanted = isPending ? seconds.pending : seconds.usual;
  if (wanted !== everySeconds) setEverySeconds(wanted);
  const query = { document: ReportsPageDocument, variables: {} };
  return (
    <>
      <header className="panel-header">
        <h1>{texts.title}</h1>
        <span className="quiet">{texts.intro}</span>
      </header>
      <ReportRequest reports={reports} onAsked={answer.refresh} />
      <Panel title={texts.list} answer={answer} query={query}>
        <ReportList reports={reports} />
        <p className="quiet">{texts.recorded}</p>
      </Panel>
      <Panel title={texts.schedules} answer={answer} query={query}>
        <Schedules schedules={reportSchedules} />
      </Panel>
    </>
  );
}

type Schedule = ReportsPageQuery['reportSchedules'][number];

function Schedules({ schedules }: { readonly schedules: readonly Schedule[] }): ReactElement {
  if (schedules.length === 0) return <p className="quiet">{texts.noSchedules}</p>;
  return (
    <ul className="reports">
      {schedules.map((schedule) => (
        <li key={schedule.name} className="report">
          <ScheduleLine schedule={schedule} />
        </li>
      ))}
    </ul>
  );
}

function ScheduleLine({ schedule }: { readonly schedule: Schedule }): ReactElement {
  const { name, cron, timeZone, format, nextAt, reportedUntil, failingSince } = schedule;
  return (
    <div className="report-line">
      <strong>{name}</strong>
      <code>{texts.cron(cron, timeZone)}</code>
      <span className="quiet">{format.toUpperCase()}</span>
      {reportedUntil === null ? (
        <span>{texts.never}</span>
      ) : (
        <span>
          {texts.last} <Timestamp time={reportedUntil} />
        </span>
      )}
      {nextAt === null ? null : (
        <span className="quiet">
          {texts.next} <Timestamp time={nextAt} />
        </span>
      )}
      {failingSince === null ? null : (
        <span className="badge" data-severity="critical">
          <SeverityShape severity="critical" />
          {texts.failing} <Timestamp time={failingSince} />
        </span>
      )}
      <Link to={`${links.audit}?actor=${encodeURIComponent(`schedule:${name}`)}`}>{texts.history}</Link>
    </div>
  );
}
