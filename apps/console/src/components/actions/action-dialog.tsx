import { type ReactElement, type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { serverNow } from '../../api/server-time.ts';
import { session } from '../../api/session.ts';
import { actions as texts } from '../../messages/actions.ts';
import { closeOverPage } from '../../state/over-page.ts';
import { useStore } from '../../state/store.ts';
import { Dialog } from '../frames/dialog.tsx';
import { SubmitButton } from '../frames/submit-button.tsx';
import { ActionProblem } from './action-problem.tsx';
import {
  type Action,
  type ActionPreview,
  type ActionResult,
  carryOutAll,
  effectTogether,
  lookAtAll,
} from './action-requests.ts';
import { EffectView } from './effect-view.tsx';
import { type Forbidden, type RequiredRole, useForbidden } from './required-role.ts';

/** An action, or the same for several things: what it is, to what, and who may. */
export interface ActionDialogProps {
  readonly title: string;
  readonly actions: readonly Action[];
  /** Changes whenever what the actions would do may: it is then looked up again. */
  readonly actionKey: string;
  readonly requires: RequiredRole;
  /** What forbids it to the caller beside its role, as the server has said. */
  readonly refusal?: Forbidden | undefined;
  readonly hasExpiry?: boolean;
  /** What is to be filled in before it can be told what the action would do; absent: nothing. */
  readonly missing?: string | undefined;
  /** Whether why it is done is recorded. */
  readonly hasReason?: boolean;
  /** It was sent: something may have changed. */
  readonly onSent: () => void;
  /** Fields of the action's own. */
  readonly children?: ReactNode;
}

const durations = { '15m': 900, '1h': 3_600, '4h': 14_400, '24h': 86_340 } as const;
type DurationChoice = keyof typeof durations;

/** Says over the page what an action will do, to what and until when, before it does it; where the role forbids it, says who could. */
export function ActionDialog(props: ActionDialogProps): ReactElement {
  const { title, requires, refusal } = props;
  const forbidden = useForbidden(requires) ?? refusal;
  return (
    <Dialog title={title} onClose={closeOverPage} isDismissable={false} isWide>
      {forbidden === undefined ? (
        <ActionForm {...props} />
      ) : (
        <div className="problem" role="alert">
          <strong>{texts.forbidden}</strong>
          <span>{forbidden.why}</span>
          <span>{forbidden.whoCould}</span>
        </div>
      )}
    </Dialog>
  );
}

function ActionForm(props: ActionDialogProps): ReactElement {
  const { hasExpiry = false, hasReason = true, actions, actionKey, missing, onSent, children } = props;
  const [reason, setReason] = useState('');
  const [duration, setDuration] = useState<DurationChoice>('1h');
  const [isConfirmed, setConfirmed] = useState(false);
  const [result, setResult] = useState<ActionResult | 'Busy' | undefined>();
  const expires = (): string => (hasExpiry ? expiryOf(duration) : '');
  const key = missing === undefined ? `${actionKey} ${duration}` : null;
  const preview = usePreview(key, async () => lookAtAll(actions, expires()));
  const effects = preview?.kind === 'Effects' ? preview.effects : [];
  const mustConfirm = effects.some(({ requires }) => requires.confirm);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setResult('Busy');
    const came = await carryOutAll(actions, effects, { reason, expires: expires() });
    setResult(came);
    onSent();
    if (came.kind === 'Done') closeOverPage();
  };
  const isExplained = !hasReason || reason.trim() !== '';
  const isReady = [effects.length > 0, isExplained, isConfirmed >= mustConfirm].every(Boolean);
  return (
    <form className="action-form" onSubmit={(event) => void submit(event)}>
      {children}
      {hasExpiry ? <Duration value={duration} onChange={setDuration} /> : null}
      <PreviewView preview={preview} missing={missing} />
      {hasReason ? <Reason value={reason} onChange={setReason} /> : null}
      {mustConfirm ? <Confirmation isConfirmed={isConfirmed} onChange={setConfirmed} /> : null}
      <Failure result={result} />
      <footer className="dialog-footer">
        <button type="button" className="button" onClick={closeOverPage}>
          {texts.cancel}
        </button>
        <SubmitButton isBusy={result === 'Busy'} isDisabled={!isReady}>
          {props.title}
        </SubmitButton>
      </footer>
    </form>
  );
}

/** What was not answered is asked again after so long. */
const retryMilliseconds = 3_000;

/**
 * What the action would do with what is in the fields; undefined: it is being looked up. After a new sign-in it is again.
 * Without a key nothing is asked.
 */
function usePreview(key: string | null, look: () => Promise<ActionPreview>): ActionPreview | undefined {
  const [known, setKnown] = useState<{ readonly key: string; readonly value: ActionPreview } | undefined>();
  const { kind } = useStore(session);
  const latest = useRef(look);
  useEffect(() => {
    latest.current = look;
  });
  useEffect(() => {
    if (kind !== 'SignedIn' || key === null) return undefined;
    let isWanted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      const value = await latest.current();
      if (!isWanted) return;
      setKnown({ key, value });
      if (value.kind === 'NoAnswer') timer = setTimeout(() => void ask(), retryMilliseconds);
    };
    void ask();
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key, kind]);
  return known?.key === key ? known.value : undefined;
}

/** By the server's clock: the browser's may be an hour off. */
function expiryOf(duration: DurationChoice): string {
  return new Date(serverNow() + durations[duration] * 1_000).toISOString();
}

function Reason({ value, onChange }: ReasonProps): ReactElement {
  return (
    <label className="labelled">
      {texts.reason}
      <textarea
        className="field"
        rows={2}
        maxLength={1_000}
        required
        value={value}
        placeholder={texts.reasonHint}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}

interface ReasonProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Duration({ value, onChange }: DurationProps): ReactElement {
  return (
    <label className="labelled">
      {texts.expires}
      <select
        className="field"
        value={value}
        onChange={({ target }) => onChange(target.value as DurationChoice)}
      >
        {Object.entries(texts.durations).map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface DurationProps {
  readonly value: DurationChoice;
  readonly onChange: (value: DurationChoice) => void;
}

function Confirmation({ isConfirmed, onChange }: ConfirmationProps): ReactElement {
  return (
    <label className="check">
      <input type="checkbox" checked={isConfirmed} onChange={({ target }) => onChange(target.checked)} />
      {texts.confirm}
    </label>
  );
}

interface ConfirmationProps {
  readonly isConfirmed: boolean;
  readonly onChange: (isConfirmed: boolean) => void;
}

function PreviewView({ preview, missing }: PreviewProps): ReactElement {
  const effect = preview?.kind === 'Effects' ? effectTogether(preview.effects) : undefined;
  return (
    <section className="effect" aria-live="polite">
      <h3>{texts.will}</h3>
      {preview === undefined ? <p className="quiet">{missing ?? texts.looking}</p> : null}
      {preview === undefined || preview.kind === 'Effects' ? null : <ActionProblem text={preview.message} />}
      {effect === undefined ? null : <EffectView effect={effect} />}
    </section>
  );
}

interface PreviewProps extends Pick<ActionDialogProps, 'missing'> {
  readonly preview: ActionPreview | undefined;
}

function Failure({ result }: { readonly result: ActionResult | 'Busy' | undefined }): ReactElement | null {
  if (result === undefined || result === 'Busy' || result.kind === 'Done') return null;
  return <ActionProblem text={result.message} isAlert />;
}
