import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import { Panel } from '../components/frames/panel.tsx';
import { evaluation as texts } from '../messages/evaluation.ts';
import { DecisionRecordDocument } from './decision-record.generated.ts';
import { ObservationView } from './observation-view.tsx';
import { ReplayView } from './replay-view.tsx';
import { WhatIf } from './what-if.tsx';

import './evaluation.css';

/** What the browser computes of a recorded decision: it again, and as it would have been; and what was observed. */
export default function DecisionEvaluation({ id }: { readonly id: string }): ReactElement {
  const answer = useAnswer(DecisionRecordDocument, { id }, { everySeconds: 0 });
  const query = { document: DecisionRecordDocument, variables: { id } };
  const record = answer.data?.decision ?? undefined;
  return (
    <>
      <Panel title={texts.replay.title} answer={answer} query={query}>
        {record === undefined ? null : <ReplayView record={record} />}
      </Panel>
      {record === undefined ? null : (
        <>
          <Panel title={texts.whatIf.title} query={query}>
            <WhatIf record={record} />
          </Panel>
          <Panel title={texts.observation.title} query={query}>
            <ObservationView input={record.input} />
          </Panel>
        </>
      )}
    </>
  );
}
