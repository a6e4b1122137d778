import { type ReactElement, type ReactNode, type SubmitEvent, useState } from 'react';
import { act } from '../../api/act.ts';
import { serverNow } from '../../api/server-time.ts';
import { Panel } from '../../components/frames/panel.tsx';
import { SubmitButton } from '../../components/frames/submit-button.tsx';
import { actions } from '../../messages/actions.ts';
import { reports as texts } from '../../messages/reports.ts';
import type { ReportFormat } from '../../schema.generated.ts';
import { timeZone } from '../../state/preferences.ts';
import { daysOf, lastWeek, orderOf, type ReportForm, reportPeriods } from './report-order.ts';
import { ReportProgress } from './report-progress.tsx';
import { type ReportRowFragment, RequestReportDocument } from './reports.generated.ts';

type Outcome =
  | { readonly kind: 'Busy' }
  | { readonly kind: 'Asked'; readonly id: string }
  | { readonly kind: 'Problem'; readonly message: string };

const zones = Intl.supportedValuesOf('timeZone');

/** Of the browser, or UTC: as the header has it. */
function chosenZone(): string {
  return timeZone.get() === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

interface ReportRequestProps {
  /** Those that are known, among them the one that was asked for. */
  readonly reports: readonly ReportRowFragment[];
  readonly onAsked: () => void;
}

/** What a report is asked for with; what the API refuses stays in the form. The mutation is shown with what is filled in. */
export function ReportRequest({ reports, onAsked }: ReportRequestProps): ReactElement {
  const [form, setForm] = useState<ReportForm>(() => lastWeek(serverNow(), chosenZone()));
  const [outcome, setOutcome] = useState<Outcome | undefined>();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setOutcome({ kind: 'Busy' });
    setOutcome(await request(form));
    onAsked();
  };
  const isBusy = outcome?.kind === 'Busy';
  return (
    <Panel title={texts.make} query={{ document: RequestReportDocument, variables: orderOf(form) }}>
      <form className="report-form" aria-label={texts.make} onSubmit={(event) => void submit(event)}>
        <Fields form={form} onChange={setForm} />
        <div className="report-form-end">
          <SubmitButton isBusy={isBusy}>{isBusy ? texts.busy : texts.submit}</SubmitButton>
          <Asked outcome={outcome} reports={reports} />
        </div>
      </form>
    </Panel>
  );
}

/** What came of it: why it was refused, or how far it is. */
function Asked({ outcome, reports }: AskedProps): ReactElement | null {
  if (outcome?.kind === 'Problem') {
    return (
      <p className="problem" role="alert">
        {outcome.message}
      </p>
    );
  }
  if (outcome?.kind !== 'Asked') return null;
  const report = reports.find(({ id }) => id === outcome.id);
  const state = report?.state ?? 'Waiting';
  return (
    <>
      <span role="status">
        {texts.asked[state]} {report?.problem ?? ''}
      </span>
      {report === undefined ? null : <ReportProgress report={report} />}
    </>
  );
}

interface AskedProps extends Pick<ReportRequestProps, 'reports'> {
  readonly outcome: Outcome | undefined;
}

/** Which days, of what, with which costs, in which form: a group each. */
function Fields({ form, onChange }: FieldsProps): ReactElement {
  const text = (
    name: Exclude<keyof ReportForm, 'format'>,
    title: string,
    more: object = {},
  ): ReactElement => (
    <Labelled title={title}>
      <input
        className="field"
        {...more}
        value={form[name]}
        onChange={({ target }) => onChange({ ...form, [name]: target.value })}
      />
    </Labelled>
  );
  // As days are written everywhere here: a browser writes those of a date field by its own language.
  const day = {
    placeholder: texts.dayHint,
    inputMode: 'numeric',
    pattern: '\\d{4}-\\d{2}-\\d{2}',
    title: texts.dayHint,
  };
  return (
    <>
      <Group title={texts.groups.period} hint={texts.untilHint}>
        {text('from', texts.from, { ...day, required: true })}
        {text('until', texts.until, day)}
        {text('timeZone', texts.timeZone, { list: 'report-zones', required: true })}
        <datalist id="report-zones">
          {zones.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        <Periods form={form} onChange={onChange} />
      </Group>
      <Group title={texts.groups.contents} hint={texts.empty}>
        {text('namespaces', texts.namespaces, { placeholder: texts.namespacesHint })}
        {text('policies', texts.policies, { placeholder: texts.policiesHint })}
        {text('teams', texts.teams)}
        {text('teamLabel', texts.teamLabel, { required: true })}
      </Group>
      <Group title={texts.groups.form} hint={texts.priceText}>
        {text('price', texts.price, { placeholder: texts.priceHint, inputMode: 'decimal' })}
        {text('currency', texts.currency)}
        <Format form={form} onChange={onChange} />
      </Group>
    </>
  );
}

interface FieldsProps {
  readonly form: ReportForm;
  readonly onChange: (form: ReportForm) => void;
}

function Periods({ form, onChange }: FieldsProps): ReactElement {
  return (
    <div className="report-periods">
      {reportPeriods.map((period) => (
        <button
          key={period}
          type="button"
          className="button"
          onClick={() => onChange({ ...form, ...daysOf(period, serverNow(), form.timeZone) })}
        >
          {texts.periods[period]}
        </button>
      ))}
    </div>
  );
}

function Format({ form, onChange }: FieldsProps): ReactElement {
  return (
    <Labelled title={texts.format}>
      <select
        className="field"
        value={form.format}
        onChange={({ target }) => onChange({ ...form, format: target.value as ReportFormat })}
      >
        {Object.entries(texts.formats).map(([format, title]) => (
          <option key={format} value={format}>
            {title}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

async function request(form: ReportForm): Promise<Outcome> {
  const result = await act(RequestReportDocument, orderOf(form));
  if (result.kind === 'Unknown') return { kind: 'Problem', message: actions.unknown };
  if (result.kind === 'NotSent') return { kind: 'Problem', message: result.problem.message };
  const { report } = result.data;
  if ('message' in report) return { kind: 'Problem', message: report.message };
  return 'id' in report ? { kind: 'Asked', id: report.id } : { kind: 'Problem', message: actions.unknown };
}

interface GroupProps {
  readonly title: string;
  readonly hint: string;
  readonly children: ReactNode;
}

function Group({ title, hint, children }: GroupProps): ReactElement {
  return (
    <fieldset className="report-group">
      <legend>{title}</legend>
      <div className="report-fields">{children}</div>
      <p className="quiet">{hint}</p>
    </fieldset>
  );
}

interface LabelledProps {
  readonly title: string;
  readonly children: ReactNode;
}

function Labelled({ title, children }: LabelledProps): ReactElement {
  return (
    <label className="labelled">
      {title}
      {children}
    </label>
  );
}
