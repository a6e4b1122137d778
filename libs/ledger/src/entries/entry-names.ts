import type { JsonObject } from '#kernel';
import type { EntryKind } from './entry-kind.ts';
import { namespaceOfAction, scopeOfAction } from './entry-namespace.ts';

/** What lists find an entry by, beside its stream, kind and time; null: it names none. */
export interface EntryNames {
  /** Who acted, where the payload names a person or a token. */
  readonly actor: string | null;
  /** The full object name of the commit that the payload names. */
  readonly commit: string | null;
  /** The namespace that an operator's action concerns. */
  readonly namespace: string | null;
  /** The name of the scope that an operator's action concerns. */
  readonly scope: string | null;
}

/** What an entry's payload says of it. */
export function namesOf({
  kind,
  payload,
}: {
  readonly kind: EntryKind;
  readonly payload: JsonObject;
}): EntryNames {
  return {
    actor: textAt(payload, 'actor'),
    commit: textAt(payload['commit'], 'hash'),
    namespace: namespaceOfAction({ kind, payload }),
    scope: scopeOfAction({ kind, payload }),
  };
}

/** The text that an object has by a key; null: it has none there. */
export function textAt(value: unknown, key: string): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' ? found : null;
}
