/** How the library for command lines begins: which option or operand it is about, and its value. */
const ofOption = /^error: option '(?:-\w, )?(--[\w-]+)[^']*' argument '([^]*)' is invalid\. ([^]*)$/;
const ofOperand = /^error: command-argument value '([^]*)' is invalid for argument '([\w-]+)'\. ([^]*)$/;

/** A refusal of the library for command lines, in the words that commands use themselves: `--limit is "x"; it wants …`. */
export function argumentRefusal(text: string): string {
  const [, option, given = '', wanted = ''] = ofOption.exec(text) ?? [];
  if (option !== undefined) return sentence(option, given, wanted);
  const [, value = '', operand, choices = ''] = ofOperand.exec(text) ?? [];
  if (operand !== undefined) return sentence(operand.toUpperCase(), value, choices);
  return text.replace(/^error: /, 'plimsoll: ');
}

function sentence(name: string, given: string, wanted: string): string {
  const wants = wanted
    .replace(/^Allowed choices are /, 'it wants one of ')
    .replace(/^It /, 'it ')
    .replace(/\.(?=\n?$)/, '');
  return `plimsoll: ${name} is ${JSON.stringify(given)}; ${wants}`;
}
