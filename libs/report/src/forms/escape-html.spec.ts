import { expect, it } from '@jest/globals';
import { escapeHtml } from './escape-html.ts';

it.each([
  {
    name: 'what HTML reads',
    given: `<a title="x" or='y'>&`,
    want: '&lt;a title=&quot;x&quot; or=&#39;y&#39;&gt;&amp;',
  },
  {
    name: 'what reorders text, or is not seen',
    given: 'by \u202eeve\u200f\u200b\u2060\u001b[8m\ufeff',
    want: String.raw`by \u202eeve\u200f\u200b\u2060\u001b[8m\ufeff`,
  },
  { name: 'half of a pair', given: 'a\ud83dz', want: 'a\ufffdz' },
  {
    name: 'letters that are joined, and pictures',
    given: 'می\u200cخواهم 👩\u200d🚀',
    want: 'می\u200cخواهم 👩\u200d🚀',
  },
])('shows $name', ({ given, want }) => {
  expect(escapeHtml(given)).toBe(want);
});
