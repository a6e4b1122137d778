import { Component, type ReactNode } from 'react';
import { common } from '../messages/common.ts';

/** Where a page fails, the rest of the console stays; going elsewhere ends it. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <section className="empty" role="alert">
        <h1>{common.failed.title}</h1>
        <p>{common.failed.text}</p>
        <pre className="code">{messageOf(this.state.error)}</pre>
        <button type="button" className="button" onClick={() => location.reload()}>
          {common.failed.again}
        </button>
      </section>
    );
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : 'An error without a message';
}
