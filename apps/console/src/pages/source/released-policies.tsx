import type { ReactElement } from 'react';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { sources as texts } from '../../messages/sources.ts';
import type { SourcePageQuery } from './source.generated.ts';
import { SourceActionButton } from './source-action-button.tsx';

type Source = Extract<SourcePageQuery['node'], { readonly __typename: 'Source' }>;

/** Policies that operators have released, each with who did it, and a way back. */
export function ReleasedPolicies({ source, released, onDone }: ReleasedProps): ReactElement {
  return (
    <>
      <p className="quiet">{texts.releasedHint}</p>
      <ul className="released">
        {released.map(({ policy, by, reason, time }) => {
          const [namespace = '', name = ''] = policy.split('/');
          return (
            <li key={policy}>
              <span>
                <span className="quiet">{namespace}/</span>
                <bdi>{name}</bdi>
              </span>
              <span className="quiet">
                <Timestamp time={time} form="ago" /> {texts.releasedBy(by, reason)}
              </span>
              <span className="spring" />
              <SourceActionButton
                action={{ kind: 'resumePolicy', source, namespace, name }}
                onDone={onDone}
              />
            </li>
          );
        })}
      </ul>
    </>
  );
}

interface ReleasedProps {
  readonly source: string;
  readonly released: Source['released'];
  readonly onDone: () => void;
}
