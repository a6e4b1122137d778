import type { LabelSelectorFields } from '#kernel';
import { object, objects, text, texts } from '../api/kube-object.ts';

/** Reads a LabelSelector field; what is no selector selects nothing (the empty text). */
export function labelSelectorFields(value: unknown): LabelSelectorFields {
  const { matchLabels, matchExpressions } = object(value);
  return {
    matchLabels: texts(matchLabels),
    matchExpressions: objects(matchExpressions).map((expression) => ({
      key: text(expression['key']),
      operator: text(expression['operator']),
      values: Array.isArray(expression['values']) ? expression['values'].map((item) => text(item)) : [],
    })),
  };
}
