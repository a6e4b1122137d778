import type { ReactElement } from 'react';
import { timeZone } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { plainTimes } from '../words/plain-times.ts';

interface ActionProblemProps {
  /** As the server says it: times in it are written as everywhere, and what others have written stays. */
  readonly text: string;
  /** It comes while somebody waits for it. */
  readonly isAlert?: boolean;
}

/** What is in the way of an action, or became of it. */
export function ActionProblem({ text, isAlert = false }: ActionProblemProps): ReactElement {
  const zone = useStore(timeZone);
  return (
    <p className="problem" role={isAlert ? 'alert' : undefined}>
      {plainTimes(text, zone)}
    </p>
  );
}
