import { z } from 'zod';

/** The schemas that the OpenAPI document names, by their ids. */
export const components = new Map<string, z.ZodType>();

/** Names a schema: other schemas refer to it by the name, and readers of the document find it there. */
export function component<T extends z.ZodType>(id: string, description: string, schema: T): T {
  const named = schema.meta({ id, description });
  components.set(id, named);
  return named;
}

/** A moment, RFC 3339. */
export const timeText = z.string().max(64);

/** A moment that a caller names: RFC 3339 with its zone. */
export const givenTime = z.string().min(1).max(64).meta({ format: 'date-time' });

/** A count of replicas. */
export const replicaCount = z.int32().nonnegative();

/** Whatever JSON has objects for: documents, observations, details. */
export const jsonObject = component(
  'JsonObject',
  'An object whose members are described elsewhere.',
  z.record(z.string(), z.unknown()),
);

/** A parameter that may be given more than once. */
export function several<T extends z.ZodType>(item: T, maximum: number): z.ZodType<readonly z.output<T>[]> {
  return z.preprocess(
    (value) => (typeof value === 'string' ? [value] : value),
    z.array(item).min(1).max(maximum),
  );
}

/** A value of a schema, which its readers do not change. */
export type WireOf<S extends z.ZodType> = Unchanged<z.output<S>>;

type Unchanged<T> = T extends object ? { readonly [Key in keyof T]: Unchanged<T[Key]> } : T;
