import { type ReactElement, useId } from 'react';
import { actions as texts } from '../../messages/actions.ts';

/** As many characters as the API takes. */
const maximumReasonLength = 1_000;

/** Whether it says something, and not too much. */
export function isReason(text: string): boolean {
  return text.trim() !== '' && text.length <= maximumReasonLength;
}

/** What is pasted is never cut: half a sentence would be recorded as the whole. */
export function ReasonField({ value, onChange }: ReasonFieldProps): ReactElement {
  const problemId = useId();
  const excess = Math.max(0, value.length - maximumReasonLength);
  return (
    <label className="labelled">
      {texts.reason}
      <textarea
        className="field"
        rows={2}
        required
        value={value}
        placeholder={texts.reasonHint}
        aria-invalid={excess > 0}
        aria-describedby={excess > 0 ? problemId : undefined}
        onChange={({ target }) => onChange(target.value)}
      />
      {excess > 0 ? (
        <span id={problemId} className="field-problem">
          {texts.tooLong(excess, maximumReasonLength)}
        </span>
      ) : null}
    </label>
  );
}

interface ReasonFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}
