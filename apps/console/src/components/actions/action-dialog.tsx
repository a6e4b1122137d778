import { type ReactElement, type ReactNode, type SubmitEvent, useState } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { actions as texts } from '../../messages/actions.ts';
import { closeOverPage } from '../../state/over-page.ts';
import { Dialog } from '../frames/dialog.tsx';
import type { ActionEffectPartsFragment } from './action-effect.generated.ts';
import { ActionFooter } from './action-footer.tsx';
import { ActionProblem } from './action-problem.tsx';
import {
  type Action,
  type ActionPreview,
  type ActionResult,
  carryOutAll,
  effectTogether,
  lookAtAll,
} from './action-requests.ts';
import { chosenDuration, type DurationChoice, durationChoices } from './duration-choices.ts';
import { EffectView } from './effect-view.tsx';
import { InterventionLimitDocument } from './intervention-limit.generated.ts';
import { isReason, ReasonField } from './reason-field.tsx';
import { type Forbidden, type RequiredRole, useForbidden } from './required-role.ts';
import { usePreview } from './use-preview.ts';

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
  const { choices, duration, choose } = useDuration(hasExpiry);
  const [confirmed, setConfirmed] = useState<string | undefined>();
  const [result, setResult] = useState<ActionResult | 'Busy' | undefined>();
  const [failures, setFailures] = useState(0);
  const { preview, expires } = usePreview({
    key: missing === undefined ? `${actionKey} ${duration?.text}` : null,
    failures,
    seconds: duration?.seconds,
    look: async (end) => lookAtAll(actions, end),
  });
  const effects = effectsOf(preview);
  const mustConfirm = effects.some(({ requires }) => requires.confirm);
  const meaning = meaningOf(effects);
  const isConfirmed = confirmed === meaning;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setResult('Busy');
    const came = await carryOutAll(actions, effects, { reason, expires });
    setResult(came);
    onSent();
    if (came.kind === 'Done') closeOverPage();
    else setFailures(failures + 1);
  };
  const isBusy = result === 'Busy';
  const isExplained = !hasReason || isReason(reason);
  const isReady = [effects.length > 0, isExplained, isConfirmed >= mustConfirm].every(Boolean);
  return (
    <form className="action-form" onSubmit={(event) => void submit(event)}>
      {children}
      {duration === undefined ? null : <Duration choices={choices} value={duration} onChange={choose} />}
      <PreviewView preview={preview} missing={missing} />
      {hasReason ? <ReasonField value={reason} onChange={setReason} /> : null}
      {mustConfirm ? (
        <Confirmation
          isConfirmed={isConfirmed}
          onChange={(isChecked) => setConfirmed(isChecked ? meaning : undefined)}
        />
      ) : null}
      <Failure result={result} />
      <ActionFooter title={props.title} isBusy={isBusy} isReady={isReady} />
    </form>
  );
}

function effectsOf(preview: ActionPreview | undefined): readonly ActionEffectPartsFragment[] {
  return preview?.kind === 'Effects' ? preview.effects : [];
}

/** What somebody agrees to: all but when it ends, which moves on while the dialog is open. */
function meaningOf(effects: readonly ActionEffectPartsFragment[]): string {
  return JSON.stringify(
    effects.map(({ policies, total, changes, problems }) => [policies, total, changes, problems]),
  );
}

/** How long an action with an end may last, and what is chosen; one without an end: nothing. */
function useDuration(hasExpiry: boolean): DurationInHand {
  const { data } = useAnswer(InterventionLimitDocument, {}, { everySeconds: 0, isPaused: !hasExpiry });
  const [chosen, choose] = useState<string | undefined>();
  const choices = hasExpiry ? durationChoices(data?.fleet.maximumInterventionHours) : [];
  return { choices, duration: chosenDuration(choices, chosen), choose };
}

interface DurationInHand {
  readonly choices: readonly DurationChoice[];
  readonly duration: DurationChoice | undefined;
  /** By its text. */
  readonly choose: (text: string) => void;
}

function Duration({ choices, value, onChange }: DurationProps): ReactElement {
  return (
    <label className="labelled">
      {texts.expires}
      <select className="field" value={value.text} onChange={({ target }) => onChange(target.value)}>
        {choices.map(({ text }) => (
          <option key={text}>{text}</option>
        ))}
      </select>
    </label>
  );
}

interface DurationProps {
  readonly choices: readonly DurationChoice[];
  readonly value: DurationChoice;
  readonly onChange: (text: string) => void;
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
