import { AdapterError } from '#kernel';

/** A full object name: SHA-1 or SHA-256. */
export const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Longer than any server takes. */
const maximumRefCharacters = 1_024;

/** What git forbids in a ref, or what would be more than one or an option: of `git check-ref-format`. */
const forbidden = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|(?:^|\/)\.|\.lock(?:\/|$)|^[-/+]|[/.]$|^@$/;

/**
 * The ref as it may stand in a refspec.
 *
 * @throws AdapterError `RefNotAllowed`
 */
export function checkedRef(ref: string): string {
  if (ref !== '' && ref.length <= maximumRefCharacters && !forbidden.test(ref)) return ref;
  throw new AdapterError({
    code: 'RefNotAllowed',
    message: `the source's ref ${JSON.stringify(ref)} cannot be the name of a branch or tag, or a full commit hash`,
    retryable: false,
  });
}

/**
 * The hash as it may stand in an argument list.
 *
 * @throws AdapterError `HashNotAllowed`
 */
export function checkedHash(hash: string): string {
  if (objectName.test(hash)) return hash;
  throw new AdapterError({
    code: 'HashNotAllowed',
    message: `${JSON.stringify(hash)} is no full object name`,
    retryable: false,
  });
}
