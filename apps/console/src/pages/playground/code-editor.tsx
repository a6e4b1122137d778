import {
  autocompletion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
  completionStatus,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic as Underline, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Annotation, EditorState, type Extension, Prec } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type ReactElement, type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { Completions } from './schema-completion.ts';

/** A place of a text that something is to be said of. Line and column count from 1. */
export interface EditorMark {
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning' | 'note';
  readonly message: string;
}

/** An editor, for those who point at a place of its text. */
export interface EditorHandle {
  readonly goTo: (line: number, column: number) => void;
}

interface EditorProps {
  readonly label: string;
  readonly language: 'yaml' | 'json';
  readonly value: string;
  readonly marks: readonly EditorMark[];
  /** What may be typed between two texts. */
  readonly complete?: (before: string, after: string) => Completions | undefined;
  readonly onChange: (value: string) => void;
  readonly ref?: Ref<EditorHandle>;
}

/**
 * An editor of code. It stands in a shadow tree: there CodeMirror adopts its styles as objects, where in the document it
 * would add a style element, which the Content-Security-Policy refuses.
 */
export default function CodeEditor(props: EditorProps): ReactElement {
  const { label, language, value, marks, complete, onChange, ref } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ value, complete, onChange });
  const typed = useRef<string[]>([]);
  useEffect(() => {
    latest.current = { value, complete, onChange };
  });
  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [extensionsOf({ label, language }, latest), reportTyping(typed, latest)],
      }),
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, [label, language]);
  useEffect(() => {
    const state = view.current?.state;
    // What was typed comes back when more of it may stand there already.
    const isEcho = typed.current.includes(value);
    typed.current = isEcho ? typed.current.slice(typed.current.lastIndexOf(value) + 1) : [];
    if (state === undefined || isEcho || state.doc.toString() === value) return;
    const changes = { from: 0, to: state.doc.length, insert: value };
    view.current?.dispatch({ changes, annotations: isGiven.of(true) });
  }, [value]);
  useEffect(() => {
    const editor = view.current;
    if (editor !== null) {
      editor.dispatch(
        setDiagnostics(
          editor.state,
          marks.map((mark) => underlineOf(editor.state, mark)),
        ),
      );
    }
  }, [marks]);
  useImperativeHandle(ref, () => ({
    goTo: (line, column) => {
      const editor = view.current;
      if (editor === null) return;
      editor.dispatch({ selection: { anchor: offsetOf(editor.state, line, column) }, scrollIntoView: true });
      editor.focus();
    },
  }));
  return <div ref={host} className="code-editor" />;
}

interface Latest {
  readonly current: Pick<EditorProps, 'value' | 'onChange'> & {
    readonly complete: EditorProps['complete'] | undefined;
  };
}

function extensionsOf(
  { label, language }: Pick<EditorProps, 'label' | 'language'>,
  latest: Latest,
): Extension {
  return [
    ...look,
    language === 'yaml' ? yaml() : json(),
    // It is focusable without, but not every reader of the page knows that.
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    autocompletion({
      // The list is opened by a key, or some time after typing: Enter is meant for it.
      interactionDelay: 0,
      defaultKeymap: false,
      override: [(context) => completionOf(context, latest.current.complete)],
    }),
    completionKeys,
  ];
}

/**
 * As CodeMirror has them, but that a list which is open stays when it is asked for again: CodeMirror asks anew, and an
 * Enter until that is answered is a line break in the text.
 */
const completionKeys = Prec.highest(
  keymap.of(
    completionKeymap.map((binding) =>
      binding.run === startCompletion ? { ...binding, run: openCompletion } : binding,
    ),
  ),
);

function openCompletion(view: EditorView): boolean {
  return completionStatus(view.state) === 'active' || startCompletion(view);
}

/** Of a change that was not typed. */
const isGiven = Annotation.define<boolean>();

/** Tells of what is typed, and notes it until it comes back. */
function reportTyping(typed: { current: string[] }, latest: Latest): Extension {
  return EditorView.updateListener.of(({ docChanged, state, transactions }) => {
    if (!docChanged || transactions.some((each) => each.annotation(isGiven) === true)) return;
    const text = state.doc.toString();
    typed.current.push(text);
    latest.current.onChange(text);
  });
}

function offsetOf({ doc }: EditorState, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines));
  return Math.min(to, from + Math.max(0, column - 1));
}

/** From the place to the end of its line. */
function underlineOf(state: EditorState, { line, column, severity, message }: EditorMark): Underline {
  const from = offsetOf(state, line, column);
  const { to } = state.doc.lineAt(from);
  return { from, to: Math.max(from, to), severity: severity === 'note' ? 'info' : severity, message };
}

function completionOf(
  context: CompletionContext,
  complete: EditorProps['complete'] | undefined,
): CompletionResult | null {
  const { state, pos, explicit } = context;
  const found = complete?.(state.sliceDoc(0, pos), state.sliceDoc(pos));
  if (found === undefined || (found.typed === 0 && !explicit)) return null;
  return {
    from: pos - found.typed,
    // What is offered depends on the place alone: more of the same word is looked for in what is there.
    validFor: /^\w*$/,
    options: found.options.map(({ label, detail, info, text }) => ({
      label,
      detail,
      apply: text,
      ...(info !== '' && { info }),
    })),
  };
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--operator)' },
  { tag: [tags.comment, tags.meta], color: 'var(--text-quiet)' },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: 'var(--text-quiet)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '0.8125rem', color: 'var(--text)', backgroundColor: 'var(--surface)' },
  // Its frame shows it.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-quiet)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--sunk) 60%, transparent)',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    color: 'var(--text)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--text)',
  },
  '.cm-completionDetail': { color: 'var(--text-quiet)' },
});

/**
 * Typing over a selection. The browser's own way merges lines by elements with a style attribute, of which the
 * Content-Security-Policy complains.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event;
    if (inputType !== 'insertText' || data === null || view.composing || view.state.selection.main.empty)
      return false;
    event.preventDefault();
    view.dispatch({ ...view.state.replaceSelection(data), userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

const look: readonly Extension[] = [
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  highlightActiveLine(),
  indentOnInput(),
  syntaxHighlighting(colours),
  theme,
  EditorView.lineWrapping,
  typeOverSelection,
  // Tab stays the key that leaves the editor.
  keymap.of([...defaultKeymap, ...historyKeymap]),
];
