type Groups = Readonly<Record<string, string | undefined>>;

/** How the library for command lines says what is of no use, and how commands say it themselves. */
const forms: readonly (readonly [form: RegExp, sentence: (groups: Groups) => string])[] = [
  [/^option '(?<name>[^']+)' argument '(?<given>[^]*)' is invalid\. (?<wanted>[^]*)$/, invalid],
  [
    /^command-argument value '(?<given>[^]*)' is invalid for argument '(?<name>[\w-]+)'\. (?<wanted>[^]*)$/,
    invalid,
  ],
  [/^missing required argument '(?<name>[^']+)'(?=\n?$)/, ({ name = '' }) => `${shownName(name)} is missing`],
  [
    /^option '(?<name>[^']+)' argument missing(?=\n?$)/,
    ({ name = '' }) => `${shownName(name)} wants a value`,
  ],
  [
    /^required option '(?<name>[^']+)' not specified(?=\n?$)/,
    ({ name = '' }) => `${shownName(name)} is missing`,
  ],
  [
    /^option '(?<name>[^']+)' cannot be used with option '(?<other>[^']+)'(?=\n?$)/,
    ({ name = '', other = '' }) => `${shownName(name)} and ${shownName(other)} exclude each other: give one`,
  ],
  [
    /^too many arguments(?: for '(?<name>[^']+)')?\. Expected (?<most>\d+ arguments?) but got (?<count>\d+): (?<given>[^]*)\.(?=\n?$)/,
    ({ name = 'it', most = '', count = '', given = '' }) =>
      `${name} takes ${most.replace(/^0 /, 'no ')}, and ${count} ${count === '1' ? 'is' : 'are'} given: ${given}`,
  ],
];

/** A refusal of the library for command lines, in the words that commands use themselves: `--limit is "x"; it wants …`. */
export function argumentRefusal(text: string): string {
  const refusal = /^error: (?<of>[^]*)$/.exec(text)?.groups?.['of'];
  if (refusal === undefined) return text;
  for (const [form, sentence] of forms) {
    const found = form.exec(refusal);
    if (found !== null) return `plimsoll: ${sentence(found.groups ?? {})}${refusal.slice(found[0].length)}`;
  }
  return `plimsoll: ${refusal}`;
}

function invalid({ name = '', given = '', wanted = '' }: Groups): string {
  const wants = wanted
    .replace(/^Allowed choices are /, 'it wants one of ')
    .replace(/^It /, 'it ')
    .replace(/\.(?=\n?$)/, '');
  return `${shownName(name)} is ${JSON.stringify(given)}; ${wants}`;
}

/**
 * `-o, --output <format>` is `--output`; an operand is written as in the documents, but for the shell, which reads as its
 * variable then.
 */
function shownName(name: string): string {
  if (name === 'shell') return 'the shell';
  return /--[\w-]+/.exec(name)?.[0] ?? name.toUpperCase();
}
