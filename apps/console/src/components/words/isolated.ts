/** Letters that are written from right to left, and signs that turn what follows them. */
const turning = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;

/** The text, so that it turns nothing that stands beside it in one line: whom a line names is not for its text to say. */
export function isolated(text: string): string {
  return turning.test(text) ? `\u2068${text}\u2069` : text;
}
