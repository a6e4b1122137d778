/** The signature line of a note. */
export interface NoteSignature {
  readonly name: string;
  /** Base64 of the key's id, which has 4 bytes, and the signature. */
  readonly signature: string;
}

/** A signed note as it was read; whether it is genuine takes the key. */
export interface SignedNote<Body extends { readonly origin: string } = { readonly origin: string }> {
  /** Its origin is the name of the key. */
  readonly body: Body;
  /** What the signatures cover. */
  readonly bodyText: string;
  readonly signatures: readonly NoteSignature[];
}

/** The one base64 of its bytes: in another one, a note would be as genuine, and have another hash. */
const base64 = '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?';
const signatureForm = new RegExp(`^\u2014 ([!-*,-~]{1,300}) (?=.{1,1000}$)(${base64})$`);

/** The longest note that is read. */
const maximumNoteLength = 16_384;

/** The text of a note: body, empty line, signatures. */
export function signedNoteText(bodyText: string, signatures: readonly NoteSignature[]): string {
  const lines = signatures.map(({ name, signature }) => `\u2014 ${name} ${signature}\n`);
  return `${bodyText}\n${lines.join('')}`;
}

/** Reads a note in the form of C2SP's signed notes; `null` for any other text, or one whose body is not in its form. */
export function parseSignedNote<Body extends { readonly origin: string }>(
  text: string,
  parseBody: (bodyText: string) => Body | null,
): SignedNote<Body> | null {
  if (text.length > maximumNoteLength || !text.endsWith('\n')) return null;
  const split = text.lastIndexOf('\n\n');
  if (split === -1) return null;
  const bodyText = text.slice(0, split + 1);
  const body = parseBody(bodyText);
  const signatures = text
    .slice(split + 2, -1)
    .split('\n')
    .map(parseSignature);
  if (body === null || !signatures.every((signature) => signature !== null)) return null;
  return { body, bodyText, signatures };
}

function parseSignature(line: string): NoteSignature | null {
  const match = signatureForm.exec(line);
  return match === null ? null : { name: match[1] ?? '', signature: match[2] ?? '' };
}
