import type { ReactElement } from 'react';
import { entry as texts } from '../../messages/entry.ts';
import { ChangeList, type ValueChange } from '../lists/change-list.tsx';

/** What changed, or that nothing did. */
export function FieldChanges({ of }: { readonly of: readonly ValueChange[] }): ReactElement {
  if (of.length === 0) return <p className="quiet">{texts.noChange}</p>;
  return <ChangeList changes={of} absent={texts.absent} />;
}
