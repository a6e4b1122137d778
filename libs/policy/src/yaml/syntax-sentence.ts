import type { YAMLError } from 'yaml';

/** A syntax error as a person is told of it. */
export interface SyntaxSentence {
  readonly message: string;
  readonly hint?: string;
  /** Where in the text; within the document. */
  readonly offset: number;
}

/** An error of the parser, and the text of the file. */
interface ParserError {
  readonly code: YAMLError['code'];
  readonly message: string;
  readonly offset: number;
  readonly text: string;
}

type Sentence = readonly [message: string, hint: string];

const templateHint =
  'this looks like a template: commit the rendered manifest, or leave it out (exclude, --exclude, .plimsollignore)';

/**
 * Says an error of the parser in a plain sentence, with the cure; the parser's own words follow. One without a sentence
 * keeps its words. A template that was not rendered has one cure, whatever it breaks.
 *
 * @param document where the document of the error begins and ends
 */
export function syntaxSentence(error: ParserError, document: readonly [number, number]): SyntaxSentence {
  if (error.code === 'RESOURCE_EXHAUSTION') return { message: 'nested too deep', offset: error.offset };
  const [from, to] = document;
  const offset = quoteStart(error, from) ?? error.offset;
  const isTemplate = /\{\{|\{%/.test(error.text.slice(from, to));
  const sentence = sentenceFor(error);
  const message = sentence === undefined ? error.message : `${sentence[0]} (the parser: ${error.message})`;
  const hint = isTemplate ? templateHint : sentence?.[1];
  return { message, offset, ...(hint === undefined ? {} : { hint }) };
}

const sentences: Partial<Record<YAMLError['code'], Sentence>> = {
  TAB_AS_INDENT: ['the line is indented with a tab', 'indent with spaces'],
  BLOCK_IN_FLOW: [
    'between { and } a comma is missing',
    'put a comma between the items, or close the bracket before',
  ],
  BAD_DQ_ESCAPE: [
    'the backslash begins no escape that YAML knows',
    'write \\\\, or put the text in single quotes',
  ],
  UNEXPECTED_TOKEN: [
    'there is text where the value has ended',
    'take it out, or put the whole value in quotes',
  ],
};

function sentenceFor(error: ParserError): Sentence | undefined {
  const { code, message } = error;
  const rest = restOfLine(error);
  if (rest.includes('{{') || rest.includes('{%'))
    return ['a template that nothing renders stands here', templateHint];
  switch (code) {
    case 'BAD_INDENT':
      return badIndent(message);
    case 'BLOCK_AS_IMPLICIT_KEY':
      if (/^\s*-[^\s-]\S*:(?:\s|$)/.test(lineAt(error)))
        return ['after the dash of the list item a space is missing', 'write it as - key: value'];
      return /^[^"'#]*?: /.test(rest)
        ? ['a value with ": " in it is no plain text', 'put the value in quotes']
        : ['the line below is indented deeper, as if it belonged into this value', 'indent it like this one'];
    case 'MULTILINE_IMPLICIT_KEY':
    case 'MISSING_CHAR':
      return missing(message, rest);
    case 'BAD_SCALAR_START':
      return [`a plain value may not begin with ${rest.charAt(0)}`, 'put the value in quotes'];
    default:
      return sentences[code];
  }
}

function badIndent(message: string): Sentence {
  return message.startsWith('Flow ')
    ? ['a bracket above is not closed', 'close every { with } and every [ with ], or indent what is inside']
    : ['the line begins in another column than its neighbours', 'indent all keys of one map alike'];
}

function missing(message: string, rest: string): Sentence | undefined {
  if (message.includes('quote'))
    return ['the quote that begins here is not closed', 'close it at the end of the value'];
  if (/^[^\s:#]+:\S/.test(rest))
    return ['after the colon of the key a space is missing', 'write it as key: value'];
  if (/map values|single line/.test(message))
    return ['the line has no colon after its key', 'write it as key: value, with a space after the colon'];
  return undefined;
}

function lineAt({ text, offset }: ParserError): string {
  const end = text.indexOf('\n', offset);
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, end < 0 ? undefined : end);
}

/** What follows the error on its line. */
function restOfLine({ text, offset }: ParserError): string {
  const end = text.indexOf('\n', offset);
  return text.slice(offset, end < 0 ? undefined : end).trimEnd();
}

/** Where a quote begins that is never closed, which the parser reports at the end: the first line with an odd number of them. */
function quoteStart({ message, text, offset }: ParserError, from: number): number | undefined {
  const quote = /^Missing closing (["'])/.exec(message)?.[1];
  if (quote === undefined) return undefined;
  let start = from;
  for (const line of text.slice(from, offset).split('\n')) {
    const parts = line.replaceAll('\\"', '  ').split(quote);
    if (parts.length % 2 === 0) return start + line.lastIndexOf(quote);
    start += line.length + 1;
  }
  return undefined;
}
