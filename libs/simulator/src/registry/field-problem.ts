import type { Json } from '#kernel';

/** One thing wrong with an object, as a `Status` lists it among its causes. */
export interface FieldProblem {
  readonly reason:
    'FieldValueInvalid' | 'FieldValueRequired' | 'FieldValueForbidden' | 'FieldValueNotSupported';
  /** Path of the field: `spec.metrics[0].resource`. */
  readonly field: string;
  readonly message: string;
}

/** A field that must be there and is not. */
export function required(field: string, detail = ''): FieldProblem {
  const message = detail === '' ? 'Required value' : `Required value: ${detail}`;
  return { reason: 'FieldValueRequired', field, message };
}

/** A field whose value is out of bounds. */
export function invalidValue(field: string, value: Json | undefined, detail: string): FieldProblem {
  return {
    reason: 'FieldValueInvalid',
    field,
    message: `Invalid value: ${JSON.stringify(value ?? null)}: ${detail}`,
  };
}

/** A field that is no count: Kubernetes takes integers from 0 on. */
export function negativeCount(field: string, value: Json | undefined): readonly FieldProblem[] {
  if (typeof value !== 'number' || value >= 0) return [];
  return [invalidValue(field, value, 'must be greater than or equal to 0')];
}
