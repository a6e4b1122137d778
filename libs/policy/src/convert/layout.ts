import type { ToStringOptions } from 'yaml';

/** How a text is laid out, so that what is rewritten looks like the rest. */
export function layoutOf(text: string): ToStringOptions {
  const indent = /^( +)[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
  return {
    // Never folded: a long line that a person wrote stays one.
    lineWidth: 0,
    indent: Math.min(Math.max(2, indent), 8),
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*#[^\n]*\n)*\1- /m.test(text),
    flowCollectionPadding: !/\{[^\s{}]/.test(text),
  };
}
