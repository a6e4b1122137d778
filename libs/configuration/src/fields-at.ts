import { z } from 'zod';

/** The keys that a schema takes at a path of keys and indices; none where it takes no object there. */
export function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const form = unwrapped(schema);
  const [key, ...rest] = path;
  if (form instanceof z.ZodUnion) return form.options.flatMap((option) => fieldsAt(option, path));
  if (form instanceof z.ZodArray) return fieldsAt(form.element, rest);
  if (!(form instanceof z.core.$ZodObject)) return [];
  const { shape } = form._zod.def;
  if (key === undefined) return Object.keys(shape);
  const field = shape[String(key)];
  return field === undefined ? [] : fieldsAt(field, rest);
}

/** What may be left out, or is changed once it is read, without that. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in);
  const isWrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly;
  return isWrapped ? unwrapped(schema.def.innerType) : schema;
}
