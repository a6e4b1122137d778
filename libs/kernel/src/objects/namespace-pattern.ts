/** Whether a pattern stands for more than one namespace. */
export function isNamespacePattern(text: string): boolean {
  return text.includes('*');
}

/** Whether a namespace is the one that a pattern names, or one that it stands for: `*` is any text, the empty one included. */
export function matchesNamespace(pattern: string, namespace: string): boolean {
  const [start = '', ...rest] = pattern.split('*');
  const end = rest.pop();
  if (end === undefined) return pattern === namespace;
  if (!namespace.startsWith(start) || !namespace.endsWith(end)) return false;
  let from = start.length;
  for (const part of rest) {
    const found = namespace.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return from <= namespace.length - end.length;
}
