import { escapeControls, messageOf, shortText } from '#kernel';

/** A longer text is no line of a message any more. */
const maximumCharacters = 2_000;

/** A text of another program's as messages have it: on one line, with what a terminal would obey or not show as `\u001b`. */
export function onOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return shortText(escapeControls(line), maximumCharacters);
}

/** Why there was no answer; where every address of a name was tried, the errors have a code and no text. */
export function reasonOf(error: unknown): string {
  const { cause, code } = error as NodeJS.ErrnoException;
  if (cause !== undefined) return reasonOf(cause);
  if (isOfOtherName(error)) {
    return onOneLine(
      `its certificate is for ${error.cert.subjectaltname ?? 'no host'}, and not for ${error.host}`,
    );
  }
  if (code !== undefined && Object.hasOwn(tlsReasons, code)) return tlsReasons[code] ?? '';
  return onOneLine(messageOf(error) || code || 'no reason is known');
}

/** What Node says of a certificate for another host. */
interface OtherName extends Error {
  readonly host: string;
  readonly cert: { readonly subjectaltname?: string };
}

function isOfOtherName(error: unknown): error is OtherName {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_TLS_CERT_ALTNAME_INVALID';
}

const unknownAuthority =
  'its certificate is of no authority that is known here; NODE_EXTRA_CA_CERTS=FILE names one, in PEM';

const noTls = 'it does not speak TLS there; is its address http://?';

/** In the place of what OpenSSL says, with what helps. */
const tlsReasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired, or the clock here is ahead',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet, or the clock here is behind',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
};
