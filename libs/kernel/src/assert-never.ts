/**
 * Marks a branch that the type system proves unreachable.
 *
 * @throws Error always: reaching it is a bug in Plimsoll, never a user's mistake.
 */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
