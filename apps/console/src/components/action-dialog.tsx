import { type ReactElement, type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { serverNow } from '../api/clock.ts';
import { type Caller, type Grant, mayAct, mayActAnywhere, session } from '../api/session.ts';
import { actions as texts } from '../messages/actions.ts';
import { useStore } from '../state/store.ts';
import {
  type Action,
  type ActionPreview,
  type ActionResult,
  carryOutAll,
  effectTogether,
  lookAtAll,
} from './action-requests.ts';
import { Dialog } from './dialog.tsx';
import { EffectView } from './effect-view.tsx';

/** An action, or the same for several things: what it is, to what, and who may. */
export interface ActionDialogProps {
  readonly title: string;
  readonly actions: readonly Action[];
  /** Changes whenever what the actions would do may: it is then looked up again. */
  readonly actionKey: string;
  readonly requires: RequiredRole;
  readonly hasExpiry?: boolean;
  /** Whether why it is done is recorded. */
  readonly hasReason?: boolean;
  /** It was sent: something may have changed. */
  readonly onSent: () => void;
  readonly onClose: () => void;
  /** Fields of the action's own. */
  readonly children?: ReactNode;
}

/** Whom an action is for, and where: in namespaces, or in a place of which the server alone knows the namespaces. */
export type RequiredRole = { readonly role: Grant['role'] } & (
  { readonly namespaces: readonly string[] } | { readonly place: string }
);

const durations = { '15m': 900, '1h': 3_600, '4h': 14_400, '24h': 86_340 } as const;
type DurationChoice = keyof typeof durations;

/** Says what an action will do, to what and until when, before it does it; where the role forbids it, says who could. */
export function ActionDialog(props: ActionDialogProps): ReactElement {
  const { title, requires, onClose } = props;
  const current = useStore(session);
  const forbidden = forbiddenIn(requires, 'caller' in current ? current.caller : undefined);
  return (
    <Dialog title={title} onClose={onClose} isDismissable={false} isWide>
      {forbidden === undefined ? (
        <ActionForm {...props} />
      ) : (
        <div className="problem" role="alert">
          <strong>{texts.forbidden}</strong>
          {texts.forbiddenText(requires.role, forbidden)}
        </div>
      )}
    </Dialog>
  );
}

/** Where the caller may not do it; undefined: it may everywhere, or the server is to say whether it may. */
function forbiddenIn(required: RequiredRole, caller: Caller | undefined): string | undefined {
  const { role } = required;
  if ('place' in required)
    return caller !== undefined && mayActAnywhere(caller, role) ? undefined : required.place;
  return required.namespaces.find((namespace) => caller === undefined || !mayAct(caller, role, namespace));
}

function ActionForm(props: ActionDialogProps): ReactElement {
  const { hasExpiry = false, hasReason = true, actions, actionKey, onSent, onClose, children } = props;
  const [reason, setReason] = useState('');
  const [duration, setDuration] = useState<DurationChoice>('1h');
  const [isConfirmed, setConfirmed] = useState(false);
  const [result, setResult] = useState<ActionResult | 'Busy' | undefined>();
  const expires = (): string => (hasExpiry ? expiryOf(duration) : '');
  const preview = usePreview(`${actionKey} ${duration}`, async () => lookAtAll(actions, expires()));
  const effects = preview?.kind === 'Effects' ? preview.effects : [];
  const mustConfirm = effects.some(({ requires }) => requires.confirm);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setResult('Busy');
    const came = await carryOutAll(actions, effects, { reason, expires: expires() });
    setResult(came);
    onSent();
    if (came.kind === 'Done') onClose();
  };
  const isExplained = !hasReason || reason.trim() !== '';
  const isReady = [result !== 'Busy', effects.length > 0, isExplained, isConfirmed >= mustConfirm].every(
    Boolean,
  );
  return (
    <form className="action-form" onSubmit={(event) => void submit(event)}>
      {children}
      {hasExpiry ? <Duration value={duration} onChange={setDuration} /> : null}
      <PreviewView preview={preview} />
      {hasReason ? <Reason value={reason} onChange={setReason} /> : null}
      {mustConfirm ? <Confirmation isConfirmed={isConfirmed} onChange={setConfirmed} /> : null}
      <Failure result={result} />
      <footer className="dialog-footer">
        <button type="button" className="button" onClick={onClose}>
          {texts.cancel}
        </button>
        <button type="submit" className="button button-primary" disabled={!isReady}>
          {props.title}
        </button>
      </footer>
    </form>
  );
}

/** What the action would do with what is in the fields; undefined: it is being looked up. After a new sign-in it is again. */
function usePreview(key: string, look: () => Promise<ActionPreview>): ActionPreview | undefined {
  const [known, setKnown] = useState<{ readonly key: string; readonly value: ActionPreview } | undefined>();
  const { kind } = useStore(session);
  const latest = useRef(look);
  useEffect(() => {
    latest.current = look;
  });
  useEffect(() => {
    if (kind !== 'SignedIn') return undefined;
    let isWanted = true;
    void latest.current().then((value) => {
      if (isWanted) setKnown({ key, value });
    });
    return () => {
      isWanted = false;
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

function PreviewView({ preview }: { readonly preview: ActionPreview | undefined }): ReactElement {
  const effect = preview?.kind === 'Effects' ? effectTogether(preview.effects) : undefined;
  return (
    <section className="effect" aria-live="polite">
      <h3>{texts.will}</h3>
      {preview === undefined ? <p className="quiet">{texts.looking}</p> : null}
      {preview?.kind === 'Refusal' ? <p className="problem">{preview.message}</p> : null}
      {effect === undefined ? null : <EffectView effect={effect} />}
    </section>
  );
}

function Failure({ result }: { readonly result: ActionResult | 'Busy' | undefined }): ReactElement | null {
  if (result === undefined || result === 'Busy' || result.kind === 'Done') return null;
  return (
    <p className="problem" role="alert">
      {result.message}
    </p>
  );
}
