import { err, ok, type Result } from '#kernel';
import type { DiagnosticCode } from '../diagnostics/diagnostic-code.ts';
import type { YamlLimits } from './limits.ts';
import { isGitLfsPointer } from './mentions.ts';

/** Why bytes are no text that is read. */
export interface TextFault {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint: string;
  /** Where in the text; 0 where there is none. */
  readonly offset: number;
  /** What could be decoded, for a position. */
  readonly text: string;
}

/** Characters that YAML does not allow anywhere. */
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/u;

/** Decodes UTF-8 (with or without byte order mark) and refuses what is no text. */
export function decodeText(bytes: Uint8Array, limits: YamlLimits): Result<string, TextFault> {
  if (bytes.length > limits.fileBytes) {
    const message = `the file has ${bytes.length} bytes, more than ${limits.fileBytes}`;
    return err({
      code: 'TooLarge',
      message,
      hint: 'split it, or raise limits.fileBytes of the source',
      offset: 0,
      text: '',
    });
  }
  const text = decodeUtf8(bytes);
  const encoding = wideEncoding(bytes);
  if (text === undefined || encoding !== undefined) return err(notUtf8(bytes, encoding));
  if (isGitLfsPointer(bytes)) return err(gitLfsPointer);
  const match = forbidden.exec(text);
  if (match === null) return ok(text);
  const code = match[0].codePointAt(0) ?? 0;
  const message = `the control character U+${code.toString(16).toUpperCase().padStart(4, '0')} is not allowed`;
  return err({
    code: 'Syntax',
    message,
    hint: 'write it as an escape in double quotes',
    offset: match.index,
    text,
  });
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * What a file is that begins with the byte order mark of another encoding, or with a letter in one. kubectl reads
 * UTF-16 with its mark; everything else here is UTF-8.
 */
function wideEncoding(bytes: Uint8Array): 'UTF-16' | 'UTF-32' | undefined {
  const start = [0, 1, 2, 3].map((index) => bytes[index] ?? 0x20);
  const shape = start.map((byte) => (byte === 0 ? '0' : byte >= 0xfe ? 'm' : 'x')).join('');
  return wideShapes.find(([pattern]) => pattern.test(shape))?.[1];
}

/** The first four bytes: `0` zero, `m` part of a mark, `x` any other. */
const wideShapes: readonly (readonly [RegExp, 'UTF-16' | 'UTF-32'])[] = [
  [/^(?:mm00|00mm|x000|000x)/, 'UTF-32'],
  [/^(?:mm|x0x0|0x0x)/, 'UTF-16'],
];

/** What a policy was moved to Git LFS by: without this its file would be a text of another kind, and the policy gone. */
const gitLfsPointer: TextFault = {
  code: 'GitLfsPointer',
  message: 'the file is a pointer into Git LFS, from where nothing is read',
  hint: 'keep it in Git itself: take its pattern out of .gitattributes, and add it again',
  offset: 0,
  text: '',
};

function notUtf8(bytes: Uint8Array, encoding: string | undefined): TextFault {
  const text = new TextDecoder('utf-8').decode(bytes);
  const offset = encoding === undefined ? Math.max(0, text.indexOf('\ufffd')) : 0;
  const message = encoding === undefined ? 'the file is not UTF-8' : `the file is ${encoding}, not UTF-8`;
  return { code: 'NotUtf8', message, hint: 'save it as UTF-8', offset, text };
}
