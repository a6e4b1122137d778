import { describe, expect, it } from '@jest/globals';
import { readYaml } from './read-yaml.ts';

function errorOf(text: string): string {
  const { diagnostics } = readYaml({ file: 'a.yaml', bytes: new TextEncoder().encode(text) });
  const [error] = diagnostics;
  return `${error?.line}:${error?.column} ${error?.code} ${error?.message}; ${error?.hint}`;
}

describe('a mistake of YAML', () => {
  it.each([
    {
      name: 'a tab',
      text: 'a:\n\tb: c\n',
      want: '2:1 Syntax the line is indented with a tab (the parser: Tabs are not allowed as indentation); indent with spaces',
    },
    {
      name: 'a key without a colon',
      text: 'a:\n  b: c\n  d e\nf: g\n',
      want: '3:3 Syntax the line has no colon after its key (the parser: Implicit map keys need to be followed by map values); write it as key: value, with a space after the colon',
    },
    {
      name: 'a colon without a space',
      text: 'a:\n  b:c\n  d: e\n',
      want: '2:3 Syntax after the colon of the key a space is missing (the parser: Implicit keys need to be on a single line); write it as key: value',
    },
    {
      name: 'a quote that is not closed, at its beginning',
      text: 'a: "x"\nb: "c\nd: e\n',
      want: '2:4 Syntax the quote that begins here is not closed (the parser: Missing closing "quote); close it at the end of the value',
    },
    {
      name: 'a line that is indented too deep',
      text: 'a: b\n  c: d\n',
      want: '1:4 Syntax the line below is indented deeper, as if it belonged into this value (the parser: Nested mappings are not allowed in compact mappings); indent it like this one',
    },
    {
      name: 'a dash without a space',
      text: 'a:\n  -b: c\n   d: e\n',
      want: '2:7 Syntax after the dash of the list item a space is missing (the parser: Nested mappings are not allowed in compact mappings); write it as - key: value',
    },
    {
      name: 'a line in no column of its neighbours',
      text: 'a:\n    b: c\n  d: e\n',
      want: '3:1 Syntax the line begins in another column than its neighbours (the parser: All mapping items must start at the same column); indent all keys of one map alike',
    },
    {
      name: 'a value with a colon',
      text: 'a: b: c\n',
      want: '1:4 Syntax a value with ": " in it is no plain text (the parser: Nested mappings are not allowed in compact mappings); put the value in quotes',
    },
    {
      name: 'a bracket that is not closed',
      text: 'a: {b: c\nd: e\n',
      want: '2:1 Syntax a bracket above is not closed (the parser: Flow map in block collection must be sufficiently indented and end with a }); close every { with } and every [ with ], or indent what is inside',
    },
    {
      name: 'a template',
      text: 'a: b\n{{- if .x }}\nc: d\n{{- end }}\n',
      want: '2:1 Syntax a template that nothing renders stands here (the parser: Implicit keys need to be on a single line); this looks like a template: commit the rendered manifest, or leave it out (exclude, --exclude, .plimsollignore)',
    },
  ])('is told in a plain sentence, with its cure: $name', ({ text, want }) => {
    expect(errorOf(text)).toBe(want);
  });
});
