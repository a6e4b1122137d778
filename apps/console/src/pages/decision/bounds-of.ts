/** The policy's own bounds, as its document has them; undefined: it has no maximum, or is not known. */
export function boundsOf(
  document: unknown,
): { readonly minimum: number; readonly maximum: number } | undefined {
  const spec = fieldOf(document, 'spec');
  const maximum = fieldOf(spec, 'maxReplicas');
  const minimum = fieldOf(spec, 'minReplicas') ?? 1;
  return typeof maximum === 'number' && typeof minimum === 'number' ? { minimum, maximum } : undefined;
}

/** A field of a value that may be no object. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
