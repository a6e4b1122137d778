import type { ReactElement } from 'react';
import { controller as texts } from '../../messages/controller.ts';
import type { ControllerMode } from '../../schema.generated.ts';
import { StateShape } from './state-badge.tsx';

/** That the controller writes nothing; nothing where it does, or where that is not known. */
export function ModeNote({ mode }: { readonly mode: ControllerMode | undefined }): ReactElement | null {
  if (mode !== 'Observe') return null;
  return (
    <p className="mode-note" role="status">
      <StateShape state="Observing" />
      <span>{texts.observing}</span>
    </p>
  );
}
