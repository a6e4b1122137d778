import { type ReactElement, Suspense, useMemo, useRef } from 'react';
import type { Diagnostic } from '#policy';
import { Panel } from '../../components/frames/panel.tsx';
import { lazyPart } from '../../components/states/lazy-part.tsx';
import { playground } from '../../messages/playground.ts';
import type { EditorHandle, EditorMark } from './code-editor.tsx';
import type { PolicyText } from './read-policy-text.ts';
import { completionsAt } from './schema-completion.ts';

const CodeEditor = lazyPart(() => import('./code-editor.tsx'));

const texts = playground.policy;

interface PolicyEditorProps {
  readonly value: string;
  readonly read: PolicyText;
  readonly onChange: (value: string) => void;
}

/** The policy, with what may be typed next, and what is wrong with what was. */
export function PolicyEditor({ value, read, onChange }: PolicyEditorProps): ReactElement {
  const editor = useRef<EditorHandle>(null);
  const marks = useMemo(() => read.diagnostics.map(markOf), [read]);
  const { policy, diagnostics } = read;
  return (
    <Panel title={texts.title}>
      <div className="playground-editor">
        <Suspense fallback={<div className="skeleton" role="status" aria-label={playground.loadingEditor} />}>
          <CodeEditor
            ref={editor}
            label={texts.label}
            language="yaml"
            value={value}
            marks={marks}
            complete={completionsAt}
            onChange={onChange}
          />
        </Suspense>
      </div>
      {policy === undefined ? null : (
        <p className="quiet">{texts.fine(`${policy.kind} ${policy.namespace}/${policy.name}`)}</p>
      )}
      {diagnostics.length === 0 ? null : (
        <ol className="playground-problems" aria-label={texts.problems}>
          {diagnostics.map((diagnostic, index) => (
            // Two can be alike; they never change places.
            <li key={`${index} ${diagnostic.code}`} data-severity={diagnostic.severity}>
              <Problem
                diagnostic={diagnostic}
                onGo={() => editor.current?.goTo(diagnostic.line, diagnostic.column)}
              />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

function markOf({ line, column, severity, message }: Diagnostic): EditorMark {
  return { line, column, severity, message };
}

function Problem({ diagnostic, onGo }: ProblemProps): ReactElement {
  const { line, column, severity, message, hint, path } = diagnostic;
  return (
    <>
      <button type="button" className="link" onClick={onGo}>
        {line}:{column}
      </button>{' '}
      <strong>{severity}</strong> {path.length === 0 ? null : <code>{path.join('.')}</code>} {message}
      {hint === undefined ? null : (
        <span className="quiet">
          {' '}
          {texts.hint} {hint}
        </span>
      )}
    </>
  );
}

interface ProblemProps {
  readonly diagnostic: Diagnostic;
  readonly onGo: () => void;
}
