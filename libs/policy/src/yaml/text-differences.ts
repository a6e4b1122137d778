/** A place where kubectl reads a text in another way than YAML 1.2, or refuses it. */
export interface ReaderDifference {
  readonly offset: number;
  readonly message: string;
  readonly hint: string;
}

interface TextPattern {
  readonly pattern: RegExp;
  readonly message: string;
  readonly hint: string;
}

const loneReturn: TextPattern = {
  pattern: /\r(?!\n)/g,
  message: 'a carriage return without a line feed is a line break to kubectl, and text here',
  hint: 'end lines with a line feed',
};

const patterns: readonly TextPattern[] = [
  loneReturn,
  ...['0085', '2028', '2029'].map((code) => ({
    pattern: new RegExp(`\\u${code}`, 'g'),
    message: `the character U+${code} is a line break to kubectl, and text to YAML 1.2`,
    hint: 'leave it out, or write it as an escape in double quotes',
  })),
  {
    pattern: /^[ \t\r\n\ufeff]*[^\S \t\r\n\ufeff]\s*\{/g,
    message: 'kubectl skips the space before {, which is text to YAML',
    hint: 'leave it out',
  },
  {
    pattern: /(?<=[^])\ufeff/g,
    message: 'a byte order mark (U+FEFF) inside a file is text to one reader and nothing to another',
    hint: 'leave it out',
  },
  {
    pattern: /(^|\n)---[^\S\n]*[^\s#][^\n]*/g,
    message: 'kubectl takes nothing but a comment behind ---',
    hint: 'begin the document on the next line',
  },
];

/** Differences of one kind that are reported; more do not help. */
const differencesMaximum = 20;

/** The differences that a look at the characters of a document shows. What kubectl reads as JSON has but one. */
export function textDifferences(text: string, language: 'JSON' | 'YAML'): readonly ReaderDifference[] {
  return (language === 'JSON' ? [loneReturn] : patterns).flatMap(({ pattern, message, hint }) => {
    const found: ReaderDifference[] = [];
    for (const { index, 1: before = '' } of text.matchAll(pattern)) {
      if (found.length >= differencesMaximum) break;
      found.push({ offset: index + before.length, message, hint });
    }
    return found;
  });
}
