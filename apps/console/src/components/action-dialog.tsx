import { type ReactElement, type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { serverNow } from '../api/clock.ts';
import { type Caller, type Grant, mayAct, session } from '../api/session.ts';
import { useStore } from '../app/store.ts';
import { actions } from '../messages/actions.ts';
import type { ActionEffectPartsFragment } from './action-effect.generated.ts';
import { Dialog } from './dialog.tsx';
import { EffectView } from './effect-view.tsx';

/** What the server says beforehand, or says no with. */
export type ActionPreview =
  | { readonly kind: 'Effect'; readonly effect: ActionEffectPartsFragment }
  | { readonly kind: 'Refusal'; readonly message: string };

/** What came of it. Unknown: the answer did not come. */
export type ActionResult =
  | { readonly kind: 'Done' }
  | { readonly kind: 'Refusal'; readonly message: string }
  | { readonly kind: 'Unknown' };

/** What the person has said. */
export interface ActionRequest {
  readonly reason: string;
  /** RFC 3339; undefined: the action has no end. */
  readonly expires: string | undefined;
  /** The digest of the effect that was looked at. */
  readonly confirm: string | undefined;
}

export interface ActionDialogProps {
  readonly title: string;
  /** Whom the action is for; null: what belongs to no namespace. */
  readonly requires: { readonly role: Grant['role']; readonly namespace: string | null };
  readonly hasExpiry?: boolean;
  /** Changes whenever the fields in `children` do: what it will do is then looked up again. */
  readonly previewKey?: string;
  readonly preview: (expires: string | undefined) => Promise<ActionPreview>;
  readonly carryOut: (request: ActionRequest) => Promise<ActionResult>;
  readonly onClose: () => void;
  /** Fields of the action's own. */
  readonly children?: ReactNode;
}

const durations = { '15m': 900, '1h': 3_600, '4h': 14_400, '24h': 86_340 } as const;
type DurationChoice = keyof typeof durations;

/** Says what an action will do, to what and until when, before it does it; where the role forbids it, says who could. */
export function ActionDialog(props: ActionDialogProps): ReactElement {
  const { title, requires, onClose } = props;
  const current = useStore(session);
  const caller: Caller | undefined =
    current.kind === 'SignedIn' || current.kind === 'Ended' ? current.caller : undefined;
  const isAllowed = caller !== undefined && mayAct(caller, requires.role, requires.namespace);
  return (
    <Dialog title={title} onClose={onClose} isDismissable={false} isWide>
      {isAllowed ? <ActionForm {...props} /> : <Forbidden {...requires} />}
    </Dialog>
  );
}

function Forbidden({ role, namespace }: ActionDialogProps['requires']): ReactElement {
  return (
    <div className="problem" role="alert">
      <strong>{actions.forbidden}</strong>
      {actions.forbiddenText(role, namespace ?? actions.everywhere)}
    </div>
  );
}

function ActionForm(props: ActionDialogProps): ReactElement {
  const { hasExpiry = false, previewKey = '', carryOut, onClose, children } = props;
  const [reason, setReason] = useState('');
  const [duration, setDuration] = useState<DurationChoice>('1h');
  const [isConfirmed, setConfirmed] = useState(false);
  const [result, setResult] = useState<ActionResult | 'Busy' | undefined>();
  const preview = usePreview(props, `${previewKey} ${duration}`);
  const effect = preview?.kind === 'Effect' ? preview.effect : undefined;
  const mustConfirm = mustBeConfirmed(effect);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setResult('Busy');
    const expires = hasExpiry ? expiryOf(duration) : undefined;
    const confirm = mustConfirm ? effect?.digest : undefined;
    const came = await carryOut({ reason, expires, confirm });
    setResult(came);
    if (came.kind === 'Done') onClose();
  };
  const isBusy = result === 'Busy';
  const isReady = effect !== undefined && reason.trim() !== '' && isConfirmed >= mustConfirm;
  return (
    <form className="action-form" onSubmit={(event) => void submit(event)}>
      {children}
      {hasExpiry ? <Duration value={duration} onChange={setDuration} /> : null}
      <PreviewView preview={preview} />
      <label className="labelled">
        {actions.reason}
        <textarea
          className="field"
          rows={2}
          maxLength={1_000}
          required
          value={reason}
          placeholder={actions.reasonHint}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      {mustConfirm ? <Confirmation isConfirmed={isConfirmed} onChange={setConfirmed} /> : null}
      <Failure result={result} />
      <footer className="dialog-footer">
        <button type="button" className="button" onClick={onClose}>
          {actions.cancel}
        </button>
        <button type="submit" className="button button-primary" disabled={isBusy || !isReady}>
          {props.title}
        </button>
      </footer>
    </form>
  );
}

/** What the action would do with what is in the fields; undefined: it is being looked up. */
function usePreview(
  { preview, hasExpiry = false }: ActionDialogProps,
  key: string,
): ActionPreview | undefined {
  const [known, setKnown] = useState<{ readonly key: string; readonly value: ActionPreview } | undefined>();
  const latest = useRef(preview);
  useEffect(() => {
    latest.current = preview;
  });
  useEffect(() => {
    let isWanted = true;
    const duration = key.slice(key.lastIndexOf(' ') + 1) as DurationChoice;
    void latest.current(hasExpiry ? expiryOf(duration) : undefined).then((value) => {
      if (isWanted) setKnown({ key, value });
    });
    return () => {
      isWanted = false;
    };
  }, [key, hasExpiry]);
  return known?.key === key ? known.value : undefined;
}

/** By the server's clock: the browser's may be an hour off. */
function expiryOf(duration: DurationChoice): string {
  return new Date(serverNow() + durations[duration] * 1_000).toISOString();
}

function Duration({ value, onChange }: DurationProps): ReactElement {
  return (
    <label className="labelled">
      {actions.expires}
      <select
        className="field"
        value={value}
        onChange={({ target }) => onChange(target.value as DurationChoice)}
      >
        {Object.entries(actions.durations).map(([choice, text]) => (
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

function mustBeConfirmed(effect: ActionEffectPartsFragment | undefined): boolean {
  return effect?.requires.confirm === true;
}

function Confirmation({ isConfirmed, onChange }: ConfirmationProps): ReactElement {
  return (
    <label className="check">
      <input type="checkbox" checked={isConfirmed} onChange={({ target }) => onChange(target.checked)} />
      {actions.confirm}
    </label>
  );
}

interface ConfirmationProps {
  readonly isConfirmed: boolean;
  readonly onChange: (isConfirmed: boolean) => void;
}

function PreviewView({ preview }: { readonly preview: ActionPreview | undefined }): ReactElement {
  return (
    <section className="effect" aria-live="polite">
      <h3>{actions.will}</h3>
      {preview === undefined ? <p className="quiet">{actions.looking}</p> : null}
      {preview?.kind === 'Refusal' ? <p className="problem">{preview.message}</p> : null}
      {preview?.kind === 'Effect' ? <EffectView effect={preview.effect} /> : null}
    </section>
  );
}

function Failure({ result }: { readonly result: ActionResult | 'Busy' | undefined }): ReactElement | null {
  if (result === undefined || result === 'Busy' || result.kind === 'Done') return null;
  return (
    <p className="problem" role="alert">
      {result.kind === 'Unknown' ? actions.unknown : result.message}
    </p>
  );
}
