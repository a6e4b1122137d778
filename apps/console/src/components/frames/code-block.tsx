import type { ReactElement } from 'react';

/** A text as it is written. It scrolls, so it is reached by keys. */
export function CodeBlock({ title, text }: { readonly title: string; readonly text: string }): ReactElement {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className="code" tabIndex={0} role="region" aria-label={title}>
      {text}
    </pre>
  );
}
