import { type ReactElement, type ReactNode, useId } from 'react';
import { databaseUnavailable } from '../../api/problem.ts';
import type { Answer } from '../../api/use-answer.ts';
import { common } from '../../messages/common.ts';
import { Age } from '../time/age.tsx';
import { QueryButton } from './query-panel.tsx';
import type { ShownQuery } from './shown-query.ts';

/** A part of a page: what it shows, how old that is, and the query it came by. */
export interface PanelProps {
  readonly title: string;
  readonly answer?: Omit<Answer<unknown>, 'askAgain'>;
  /** Or several, the first of them what its content comes by. */
  readonly query?: ShownQuery | readonly ShownQuery[];
  readonly tools?: ReactNode;
  /** What comes where that is high: its place is kept free, so that what stands below does not move under the reader. */
  readonly awaited?: AwaitedContent;
  readonly children: ReactNode;
}

type AwaitedContent = 'chart' | 'list';

/** A titled part of a page. While nothing is known, it says so in the place of its content. */
export function Panel(props: PanelProps): ReactElement {
  const { title, answer, query, tools, awaited, children } = props;
  const id = useId();
  const isUnknown = answer !== undefined && answer.data === undefined;
  return (
    <section className="panel" aria-labelledby={id}>
      <header className="panel-header">
        <h2 id={id}>{title}</h2>
        {tools}
        <span className="panel-about">
          {answer === undefined ? null : <Age of={answer} isSaid={isUnknown} />}
          {query === undefined ? null : <QueryButton query={query} />}
        </span>
      </header>
      {isUnknown ? <Unknown problem={answer.problem} awaited={awaited} /> : children}
    </section>
  );
}

interface UnknownProps extends Pick<Answer<unknown>, 'problem'> {
  readonly awaited?: AwaitedContent | undefined;
}

/** In the place of what is not known: that it is being asked for, or why it is not known. */
export function Unknown({ problem, awaited }: UnknownProps): ReactElement {
  if (problem === undefined)
    return <div className="skeleton" data-awaited={awaited} role="status" aria-label={common.loading} />;

  return problem.code === databaseUnavailable ? (
    <p className="quiet">{common.database.unknown}</p>
  ) : (
    <p className="problem" role="alert">
      {problem.message}
    </p>
  );
}
