import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const sources = join(import.meta.dirname, '../../apps/console/src');

/** Attributes whose text is read out or shown. */
const shownAttributes: ReadonlySet<string> = new Set(['alt', 'aria-label', 'label', 'placeholder', 'title']);

/** Two letters in a row are a word; `UTC`, `×` or `{ }` say the same in every language. */
const word = /\p{Ll}\p{Ll}/u;

/** What of a module would be shown as it stands there: texts between tags, and of attributes that are shown. */
function textsIn(name: string, text: string): readonly string[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isJsxText(node) && word.test(node.text)) found.push(node.text.trim());
    if (ts.isJsxAttribute(node) && shownAttributes.has(node.name.getText())) found.push(...wordsOf(node));
    if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) found.push(...wordsOf(node));
    ts.forEachChild(node, look);
  };
  look(file);
  return found;
}

/** Literals that are the value itself, or one of its alternatives. */
function wordsOf(node: ts.JsxAttribute | ts.JsxExpression): readonly string[] {
  const value = ts.isJsxAttribute(node) ? node.initializer : node.expression;
  return value === undefined ? [] : literalsOf(value).filter((text) => word.test(text));
}

function literalsOf(node: ts.Node): readonly string[] {
  if (ts.isStringLiteral(node)) return [node.text];
  if (ts.isJsxExpression(node)) return node.expression === undefined ? [] : literalsOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)];
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  return ts.isNoSubstitutionTemplateLiteral(node) ? [node.text] : [];
}

describe('the texts of the console', () => {
  it('stand in its messages, and nowhere else', () => {
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.tsx'),
    );
    expect(files.length).toBeGreaterThan(40);
    const found = files.flatMap((name) =>
      textsIn(name, readFileSync(join(sources, name), 'utf8')).map((text) => `${name}: ${text}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    { name: 'between tags', given: '<p>Hello there</p>', want: ['Hello there'] },
    { name: 'in an attribute', given: '<input placeholder="a name" className="field" />', want: ['a name'] },
    { name: 'in a choice', given: '<p>{isOn ? "on now" : texts.off}</p>', want: ['on now'] },
    {
      name: 'in a template',
      given: '<p title={`as of ${age}`}>{`${count} more`}</p>',
      want: ['as of ', ' more'],
    },
    { name: 'not in signs and names', given: '<p className="quiet">{texts.a} · × UTC {n}/{m}</p>', want: [] },
  ])('are found $name', ({ given, want }) => {
    expect(textsIn('x.tsx', given)).toEqual(want);
  });
});
