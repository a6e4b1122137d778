import type { ReactElement } from 'react';
import { actions as texts } from '../../messages/actions.ts';
import { Lock } from './action-button.tsx';
import { type RequiredRole, useForbiddenAmong } from './required-role.ts';

/** Actions that stand beside each other and want the same role. */
export interface RoleOfActions {
  readonly titles: readonly string[];
  readonly requires: RequiredRole;
}

/** Says beside several actions which of them the caller's role forbids, where, and who could; nothing where it forbids none. */
export function ForbiddenNote({ of }: { readonly of: readonly RoleOfActions[] }): ReactElement | null {
  const forbidden = useForbiddenAmong(of);
  return forbidden.length === 0 ? null : (
    <p className="forbidden-note quiet">
      <Lock /> {texts.forbiddenHere(forbidden)}
    </p>
  );
}
