import fc from 'fast-check';

/** The moment of every generated pass. */
export const now = Date.parse('2026-11-20T12:00:00.000Z');

/** Ages in seconds that lie on, or a millisecond beside, the periods that rules compare with. */
const ages = [15, 30, 45, 60, 90, 120, 300, 600].flatMap((age) => [age - 0.001, age, age + 0.001]);

/** A moment `seconds` ago. */
export function at(seconds: number): string {
  return new Date(now - Math.round(seconds * 1_000)).toISOString();
}

/** A moment that some rule's boundary is near to. */
export const arbitraryTime: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 6, arbitrary: fc.constantFrom(...ages) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 700 }) },
    { weight: 1, arbitrary: fc.constantFrom(-10, 0, 0.001, 3_600) },
  )
  .map(at);
