import type { ToStringOptions } from 'yaml';

/** How a text is laid out, so that what is rewritten looks like the rest. */
export function layoutOf(text: string): ToStringOptions {
  const indent = /^( +)[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
  return {
    // Never folded: a long line that a person wrote stays one.
    lineWidth: 0,
    indent: Math.min(Math.max(2, indent), 8),
    indentSeq: !hasFlushList(text),
    flowCollectionPadding: !/\{[^\s{}]/.test(text),
  };
}

/** Whether the items of some list stand as far to the left as the key above them. */
function hasFlushList(text: string): boolean {
  let keyIndent: string | undefined;
  for (const line of text.split('\n')) {
    if (/^[ \t]*#/.test(line)) continue;
    if (keyIndent !== undefined && line.startsWith(`${keyIndent}- `)) return true;
    const indent = /^( *)[^\s#-]/.exec(line)?.[1];
    const isKey = indent !== undefined && /:[ \t]*(?:#|\r?$)/.test(line.slice(indent.length + 1));
    keyIndent = isKey ? indent : undefined;
  }
  return false;
}
