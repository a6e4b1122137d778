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

/**
 * Takes credentials out of a text that may be logged or shown: the given secrets, and whatever looks like a credential.
 *
 * @example redactCredentials('https://bob:hunter2@git.example/a') // 'https://…@git.example/a'
 */
export function redactCredentials(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '…');
  for (const [pattern, replacement] of credentials) clean = clean.replace(pattern, replacement);
  return clean;
}
