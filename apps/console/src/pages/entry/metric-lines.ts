import { isJsonObject, type Json } from '#kernel';
import { entry } from '../../messages/entry.ts';

/**
 * Metrics over a time, a line each: `Resource cpu: averageUtilization 40–62, proposes 3–5`.
 *
 * @param metrics As an entry has them (docs/spec/ledger-payloads.md); what is otherwise is left out.
 */
export function metricLines(metrics: unknown): readonly string[] {
  if (!Array.isArray(metrics)) return [];
  return (metrics as readonly Json[])
    .filter(isJsonObject)
    .map(({ type, name, proposedReplicas, current }) => {
      const measures = isJsonObject(current ?? null) ? Object.entries(current as object) : [];
      const parts = [
        ...measures.map(([measure, range]) => `${measure} ${rangeText(range as Json)}`),
        ...(isJsonObject(proposedReplicas ?? null)
          ? [entry.facts.proposes(rangeText(proposedReplicas))]
          : []),
      ];
      return `${textOf(type)} ${textOf(name)}: ${parts.length === 0 ? entry.facts.nothingKnown : parts.join(', ')}`;
    });
}

function rangeText(range: Json | undefined): string {
  if (range === undefined || !isJsonObject(range)) return textOf(range);
  const [min, max] = [textOf(range['min']), textOf(range['max'])];
  return min === max ? min : `${min}–${max}`;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
