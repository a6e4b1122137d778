import { type Caller, type Grant, mayAct, mayActAnywhere, session } from '../../api/session.ts';
import { actions as texts } from '../../messages/actions.ts';
import { useStore } from '../../state/store.ts';

/** Whom an action is for, and where: in namespaces, or in a place of which the server alone knows the namespaces. */
export type RequiredRole = { readonly role: Grant['role'] } & (
  | { readonly namespaces: readonly string[] }
  /** `roles`: those that the server says the caller has there; absent: it has not been asked. */
  | { readonly place: string; readonly roles?: readonly Grant['role'][] | undefined }
);

/** Why the caller may not do something, and who could. */
export interface Forbidden {
  readonly why: string;
  readonly whoCould: string;
}

/** What the caller's role forbids; undefined: nothing, as far as can be known here. The server decides anew on each action. */
export function useForbidden(required: RequiredRole): Forbidden | undefined {
  return forbiddenTo(useCaller(), required);
}

/** Those that the caller's role forbids something of, with who could. */
export function useForbiddenAmong<T extends { readonly requires: RequiredRole }>(
  actions: readonly T[],
): readonly (T & Pick<Forbidden, 'whoCould'>)[] {
  const caller = useCaller();
  return actions.flatMap((action) => {
    const forbidden = forbiddenTo(caller, action.requires);
    return forbidden === undefined ? [] : [{ ...action, whoCould: forbidden.whoCould }];
  });
}

function useCaller(): Caller | undefined {
  const current = useStore(session);
  return 'caller' in current ? current.caller : undefined;
}

function forbiddenTo(caller: Caller | undefined, required: RequiredRole): Forbidden | undefined {
  const places = forbiddenPlaces(required, caller);
  if (places.length === 0) return undefined;
  const { role } = required;
  return { why: texts.forbiddenText(role, places), whoCould: texts.whoCould(role, places) };
}

/** Each place where the caller may not do it, once; empty: it may everywhere, or the server is to say whether it may. */
export function forbiddenPlaces(required: RequiredRole, caller: Caller | undefined): readonly string[] {
  const { role } = required;
  if ('place' in required) {
    if (required.roles !== undefined) return required.roles.includes(role) ? [] : [required.place];
    return caller !== undefined && mayActAnywhere(caller, role) ? [] : [required.place];
  }
  const namespaces = [...new Set(required.namespaces)];
  return namespaces.filter((namespace) => caller === undefined || !mayAct(caller, role, namespace));
}
