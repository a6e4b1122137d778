import type { ReactElement } from 'react';
import { interventions as texts } from '../../messages/interventions.ts';
import type { ScalingDirection } from '../../schema.generated.ts';

const directions: readonly ScalingDirection[] = ['Both', 'Down', 'Up'];

interface DirectionFieldProps {
  readonly value: ScalingDirection;
  readonly onChange: (value: ScalingDirection) => void;
}

/** Which way nothing is to be scaled. */
export function DirectionField({ value, onChange }: DirectionFieldProps): ReactElement {
  return (
    <label className="labelled">
      {texts.begin.direction}
      <select
        className="field"
        value={value}
        onChange={({ target }) => onChange(directions.find((each) => each === target.value) ?? 'Both')}
      >
        {directions.map((each) => (
          <option key={each} value={each}>
            {texts.directions[each]}
          </option>
        ))}
      </select>
    </label>
  );
}
