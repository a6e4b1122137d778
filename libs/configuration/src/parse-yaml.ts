import { type Document, LineCounter, parseDocument } from 'yaml';
import { err, type Json, messageOf, ok, type Result } from '#kernel';
import type { ConfigurationErrors } from './configuration-errors.ts';

/** A text and what its errors call it: a file's name, or the option that it was given in. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** A YAML text's value, and where each part of it stands. */
export interface ParsedYaml {
  readonly json: Json;
  /** `name:line:column` of the value at the path, or of its nearest parent that exists. */
  readonly positionOf: (path: readonly PropertyKey[]) => string;
}

/** A configuration is written by hand; more aliases than this are an attack. */
const maximumAliases = 100;

/** Parses one YAML document, keeping positions. */
export function parseYaml({ name, text }: NamedText): Result<ParsedYaml, ConfigurationErrors> {
  const counter = new LineCounter();
  const place = (offset: number): string => {
    const { line, col } = counter.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  if (document.errors.length > 0)
    return err(document.errors.map((error) => ({ sentence: `${place(error.pos[0])}: ${error.message}` })));

  try {
    const json = document.toJS({ maxAliasCount: maximumAliases }) as Json;
    return ok({ json, positionOf: (path) => place(offsetOf(document, path)) });
  } catch (error) {
    return err([{ sentence: `${name}:1:1: ${messageOf(error)}` }]);
  }
}

function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
    if (Array.isArray(range)) return Number(range[0]);
  }
  return 0;
}
