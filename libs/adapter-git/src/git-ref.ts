import { AdapterError } from '#kernel';

/** A full object name: SHA-1 or SHA-256. */
export const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** What git allows in a ref, without the patterns and the `..` that mean more than one. */
const refName =
  /^(?!.*(?:\.\.|@\{|\/\/|\.lock(?:\/|$)))[A-Za-z0-9_][A-Za-z0-9_./+@#=,%-]*[A-Za-z0-9_+@#=,%-]$|^[A-Za-z0-9_]$/;

/** The ref as it may stand in a refspec. Throws `AdapterError` `RefNotAllowed`. */
export function checkedRef(ref: string): string {
  if (objectName.test(ref) || refName.test(ref)) return ref;
  throw new AdapterError({
    code: 'RefNotAllowed',
    message: `the source's ref ${JSON.stringify(ref)} is no branch, tag or full commit hash`,
    retryable: false,
  });
}

/** The hash as it may stand in an argument list. Throws `AdapterError` `HashNotAllowed`. */
export function checkedHash(hash: string): string {
  if (objectName.test(hash)) return hash;
  throw new AdapterError({
    code: 'HashNotAllowed',
    message: `${JSON.stringify(hash)} is no full object name`,
    retryable: false,
  });
}
