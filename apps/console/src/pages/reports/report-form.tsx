import { type ReactElement, type ReactNode, type SubmitEvent, useState } from 'react';
import { act } from '../../api/act.ts';
import { serverNow } from '../../api/clock.ts';
import { Panel } from '../../components/panel.tsx';
import { actions } from '../../messages/actions.ts';
import { reports as texts } from '../../messages/reports.ts';
import type { ReportFormat } from '../../schema.generated.ts';
import { lastWeek, orderOf, type ReportForm } from './report-order.ts';
import { RequestReportDocument } from './reports.generated.ts';

type Outcome = { readonly kind: 'Asked' | 'Busy' } | { readonly kind: 'Problem'; readonly message: string };

const zones = Intl.supportedValuesOf('timeZone');

/** What a report is asked for with; what the API refuses stays in the form. The mutation is shown with what is filled in. */
export function ReportRequest({ onAsked }: { readonly onAsked: () => void }): ReactElement {
  const [form, setForm] = useState<ReportForm>(() => lastWeek(serverNow()));
  const [outcome, setOutcome] = useState<Outcome | undefined>();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setOutcome({ kind: 'Busy' });
    setOutcome(await request(form));
    onAsked();
  };
  return (
    <Panel title={texts.make} query={{ document: RequestReportDocument, variables: orderOf(form) }}>
      <form className="report-form" aria-label={texts.make} onSubmit={(event) => void submit(event)}>
        <Fields form={form} onChange={setForm} />
        <p id="report-until" className="quiet report-form-wide">
          {texts.untilHint} {texts.empty}
        </p>
        <div className="report-form-end report-form-wide">
          <button type="submit" className="button button-primary" disabled={outcome?.kind === 'Busy'}>
            {outcome?.kind === 'Busy' ? texts.busy : texts.submit}
          </button>
          {outcome?.kind === 'Asked' ? <span role="status">{texts.asked}</span> : null}
          {outcome?.kind === 'Problem' ? (
            <p className="problem" role="alert">
              {outcome.message}
            </p>
          ) : null}
        </div>
      </form>
    </Panel>
  );
}

function Fields({ form, onChange }: FieldsProps): ReactElement {
  const text = (
    name: Exclude<keyof ReportForm, 'format'>,
    title: string,
    more: object = {},
  ): ReactElement => (
    <Labelled title={title}>
      <input
        className="field"
        maxLength={4_000}
        {...more}
        value={form[name]}
        onChange={({ target }) => onChange({ ...form, [name]: target.value })}
      />
    </Labelled>
  );
  return (
    <>
      {text('from', texts.from, { type: 'date', required: true })}
      {text('until', texts.until, { type: 'date', 'aria-describedby': 'report-until' })}
      {text('timeZone', texts.timeZone, { list: 'report-zones', required: true })}
      <datalist id="report-zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
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
      {text('namespaces', texts.namespaces, { placeholder: texts.namespacesHint })}
      {text('policies', texts.policies, { placeholder: texts.policiesHint })}
      {text('teams', texts.teams)}
      {text('teamLabel', texts.teamLabel, { required: true })}
      {text('price', texts.price, { placeholder: texts.priceHint, inputMode: 'decimal' })}
      {text('currency', texts.currency)}
    </>
  );
}

interface FieldsProps {
  readonly form: ReportForm;
  readonly onChange: (form: ReportForm) => void;
}

async function request(form: ReportForm): Promise<Outcome> {
  const result = await act(RequestReportDocument, orderOf(form));
  if (result.kind === 'Unknown') return { kind: 'Problem', message: actions.unknown };
  if (result.kind === 'NotSent') return { kind: 'Problem', message: result.problem.message };
  const { report } = result.data;
  return 'message' in report ? { kind: 'Problem', message: report.message } : { kind: 'Asked' };
}

function Labelled({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <label className="labelled">
      {title}
      {children}
    </label>
  );
}
