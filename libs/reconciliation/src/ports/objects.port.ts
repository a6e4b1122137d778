import type { JsonObject } from '#kernel';

/** An object by its names. */
export interface ObjectReference {
  readonly namespace: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** The object, some seconds old at most; or why there is none, in a sentence. */
export type ObjectReading =
  { readonly object: JsonObject } | { readonly error: { readonly message: string } };

/** Objects of any namespaced kind that policies name in their own namespace. */
export interface ObjectsPort {
  /**
   * Reads one object. A Secret is never read, nor an object without a namespace.
   *
   * Never rejects, except when `signal` aborts.
   */
  readObject(reference: ObjectReference, signal: AbortSignal): Promise<ObjectReading>;
}
