import { createStore } from '../state/store.ts';

/** What a caller may do, and where. */
export interface Grant {
  readonly role: 'viewer' | 'operator' | 'approver' | 'admin';
  readonly namespaces: readonly string[];
}

/** Who is signed in, as `/api/v1/me` says. */
export interface Caller {
  readonly name: string;
  readonly grants: readonly Grant[];
}

/**
 * Ended: somebody was signed in, and the server no longer knows the session; the pages stay as they are, with what was
 * typed into them.
 */
export type Session =
  | { readonly kind: 'Unknown' }
  | { readonly kind: 'SignedOut' }
  | { readonly kind: 'SignedIn'; readonly caller: Caller }
  | { readonly kind: 'Ended'; readonly caller: Caller };

export const session = createStore<Session>({ kind: 'Unknown' });

/** To be called when the server answers 401. */
export function noteSessionEnd(): void {
  const current = session.get();
  if (current.kind === 'SignedIn') session.set({ kind: 'Ended', caller: current.caller });
  else if (current.kind === 'Unknown') session.set({ kind: 'SignedOut' });
}

/** What an attempt to sign in came to. */
export type SignInResult = 'SignedIn' | 'Refused' | 'TooMany' | 'Unreachable';

/** Exchanges a token for a session in a cookie; the token is kept nowhere. */
export async function signIn(token: string): Promise<SignInResult> {
  const headers = { 'content-type': 'application/json' };
  try {
    const answer = await fetch('/auth/session', { method: 'POST', headers, body: JSON.stringify({ token }) });
    if (answer.status === 429) return 'TooMany';
    if (answer.status >= 500) return 'Unreachable';
    if (!answer.ok) return 'Refused';
    await loadCaller();
    return 'SignedIn';
  } catch {
    return 'Unreachable';
  }
}

/** Asks who is signed in. An answer other than 401 that is no caller leaves what is known. */
export async function loadCaller(): Promise<void> {
  const answer = await fetch('/api/v1/me', { cache: 'no-store' });
  if (answer.status === 401) noteSessionEnd();
  if (answer.ok) session.set({ kind: 'SignedIn', caller: (await answer.json()) as Caller });
}

/** Ends the session here; what was shown goes with the page. */
export async function signOut(): Promise<void> {
  await fetch('/auth/logout', { method: 'POST' }).catch(() => undefined);
  location.assign('/');
}

/** What the server offers to everyone: signing in at an OpenID provider, and GraphiQL. */
export interface Offer {
  readonly openId: boolean;
  readonly graphiql: boolean;
}

/** Nothing, where the server cannot say. */
export async function loadOffer(): Promise<Offer> {
  const answer = await fetch('/auth/session').catch(() => undefined);
  if (answer?.ok !== true) return { openId: false, graphiql: false };
  return (await answer.json()) as Offer;
}

const roles = ['viewer', 'operator', 'approver', 'admin'] as const;

/** Whether the caller has a role in a namespace. The server decides anew on each action. */
export function mayAct(caller: Caller, wanted: Grant['role'], namespace: string): boolean {
  return caller.grants.some(
    ({ role, namespaces }) =>
      isAtLeast(role, wanted) && namespaces.some((pattern) => matchesPattern(pattern, namespace)),
  );
}

/** Whether the caller has a role in any namespace. */
export function mayActAnywhere(caller: Caller, wanted: Grant['role']): boolean {
  return caller.grants.some(({ role }) => isAtLeast(role, wanted));
}

function isAtLeast(role: Grant['role'], wanted: Grant['role']): boolean {
  return roles.indexOf(role) >= roles.indexOf(wanted);
}

/** `*` stands for any characters. */
function matchesPattern(pattern: string, name: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === name;
  let place = head.length;
  if (!name.startsWith(head)) return false;
  for (const part of rest) {
    const found = name.indexOf(part, place);
    if (found === -1) return false;
    place = found + part.length;
  }
  return pattern.endsWith('*') || name.endsWith(rest.at(-1) ?? '');
}
