/** How the library for command lines says which option or operand is of no use. */
const forms = [
  /^error: option '(?<name>[^']+)' argument '(?<given>[^]*)' is invalid\. (?<wanted>[^]*)$/,
  /^error: command-argument value '(?<given>[^]*)' is invalid for argument '(?<name>[\w-]+)'\. (?<wanted>[^]*)$/,
];

/** A refusal of the library for command lines, in the words that commands use themselves: `--limit is "x"; it wants …`. */
export function argumentRefusal(text: string): string {
  const groups = forms.map((form) => form.exec(text)?.groups).find((found) => found !== undefined);
  if (groups === undefined) return text.replace(/^error: /, 'plimsoll: ');
  const { name = '', given = '', wanted = '' } = groups;
  const wants = wanted
    .replace(/^Allowed choices are /, 'it wants one of ')
    .replace(/^It /, 'it ')
    .replace(/\.(?=\n?$)/, '');
  return `plimsoll: ${shownName(name)} is ${JSON.stringify(given)}; ${wants}`;
}

/**
 * `-o, --output <format>` is `--output`; an operand is written as in the documents, but for the shell, which reads as its
 * variable then.
 */
function shownName(name: string): string {
  if (name === 'shell') return 'the shell';
  return /--[\w-]+/.exec(name)?.[0] ?? name.toUpperCase();
}
