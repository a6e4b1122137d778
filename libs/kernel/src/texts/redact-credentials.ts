/**
 * Each starts where its text cannot have started before, so that a long text takes linear time; without looking behind,
 * which no proof of that covers.
 */
const credentials: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\b(authorization|private-token)\s*[:=].*/gi, '$1: …'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 …'],
  // A JSON Web Token.
  [/(^|[^\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g, '$1…'],
  // User and password of a URL, whatever its scheme.
  [/\/\/[^\s/@]*@/g, '//…@'],
];

/** A shorter secret is part of ordinary words: each of its letters would be taken out of a message. */
const minimumPartLength = 6;

/**
 * Takes credentials out of a text that may be logged or shown: the given secrets, and whatever looks like a credential.
 * A secret of fewer than six characters is taken out where it stands alone, and not as a part of words.
 *
 * @example redactCredentials('https://bob:hunter2@git.example/a') // 'https://…@git.example/a'
 */
export function redactCredentials(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets)
    clean = secret.length < minimumPartLength ? withoutWord(clean, secret) : clean.replaceAll(secret, '…');
  for (const [pattern, replacement] of credentials) clean = clean.replace(pattern, replacement);
  return clean;
}

function withoutWord(text: string, word: string): string {
  if (word === '') return text;
  let clean = '';
  let copied = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (at < copied || isLetter(text, at - 1) || isLetter(text, end)) continue;
    clean += `${text.slice(copied, at)}…`;
    copied = end;
  }
  return clean + text.slice(copied);
}

const letter = /[\p{L}\p{N}]/u;

function isLetter(text: string, at: number): boolean {
  return letter.test(text.charAt(at));
}
