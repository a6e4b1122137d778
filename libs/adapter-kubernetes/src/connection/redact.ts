const bearer = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi;
const jsonWebToken = /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g;
const userInfo = /\/\/[^\s/@]*@/g;

/** Takes credentials out of a text that may reach a log: the given ones, and whatever looks like one. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '…');
  return clean.replace(bearer, '$1 …').replace(jsonWebToken, '…').replace(userInfo, '//…@');
}
