import { type ReactElement, useId, useState } from 'react';
import { common } from '../../messages/common.ts';
import { timeZone } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { readTypedTime, typedTime } from './typed-time.ts';

/** A field for a moment. */
export interface TimeFieldProps {
  /** Without the zone, which stands behind it. */
  readonly title: string;
  /** RFC 3339, or empty. */
  readonly time: string;
  /** Of the field, in a form that is sent. */
  readonly name?: string;
  /** The moment that was typed, as soon as it is one. */
  readonly onTime?: (time: string) => void;
}

/** A moment as it is typed, in the zone of the header: a browser's own field has no zone, and an order of its own. */
export function TimeField({ title, time, name, onTime }: TimeFieldProps): ReactElement {
  const problemId = useId();
  const zone = useStore(timeZone);
  const [typed, setTyped] = useState({ text: '', time: '', zone: '' });
  // Another moment, or another zone, than it was typed for: what was typed is of no use any more.
  const isTyped = typed.time === time && typed.zone === zone;
  const text = isTyped ? typed.text : typedTime(time, zone);
  const isBad = isTyped && text.trim() !== '' && readTypedTime(text, zone) === undefined;
  return (
    <label className="labelled time-field">
      {common.time.title(title, common.time.zones[zone])}
      <input
        ref={(field) => field?.setCustomValidity(isBad ? common.time.form : '')}
        className="field"
        name={name}
        maxLength={40}
        placeholder={common.time.example}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={isBad}
        aria-describedby={isBad ? problemId : undefined}
        value={text}
        onChange={({ target: { value } }) => {
          const read = onTime === undefined ? undefined : readTypedTime(value, zone);
          setTyped({ text: value, time: read ?? time, zone });
          if (read !== undefined) onTime?.(read);
        }}
      />
      {isBad ? (
        <span id={problemId} className="field-problem">
          {common.time.form}
        </span>
      ) : null}
    </label>
  );
}
