import type { ReactElement } from 'react';
import { actorName } from '#kernel';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { isolated } from '../../components/words/isolated.ts';
import { Sentence } from '../../components/words/sentence.tsx';
import { decision } from '../../messages/decision.ts';
import { interventions as interventionTexts } from '../../messages/interventions.ts';
import { scopeText } from '../interventions/intervention-scope.ts';
import { interventionTerms } from '../interventions/intervention-terms.ts';
import type { StoodThenPartsFragment } from './decision.generated.ts';

const texts = decision.stoodThen;

/** What operators had put in place as it was decided, and how it has ended since; nothing where there was none. */
export function StoodThen({ interventions }: StoodThenProps): ReactElement | null {
  if (interventions?.length === 0) return null;
  return (
    <section aria-label={texts.title}>
      <h3>{texts.title}</h3>
      {interventions === null ? (
        <p className="quiet">{texts.notKnown}</p>
      ) : (
        <ul>
          {interventions.map((past) => (
            <li key={past.intervention.id}>
              <Past past={past} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface StoodThenProps {
  /** Null: there was more than is looked through. */
  readonly interventions: readonly StoodThenPartsFragment[] | null;
}

function Past({
  past: { intervention, isForced, end },
}: {
  readonly past: StoodThenPartsFragment;
}): ReactElement {
  const { kind, actor, reason, expires, scope, against } = intervention;
  const terms = interventionTerms(intervention);
  return (
    <>
      <strong>{interventionTexts.kinds[kind]}</strong> {terms === '' ? null : `(${terms}) `}
      {scope.kind === 'Policy' ? null : `${interventionTexts.of} ${isolated(scopeText(scope))} `}
      {interventionTexts.until} <Timestamp time={expires} /> {interventionTexts.by(isolated(actor))}:{' '}
      <bdi>{reason}</bdi>
      {(isForced && against.length === 0 ? [texts.notKept] : against).map((problem) => (
        <span key={problem} className="quiet">
          {' '}
          · {interventionTexts.forcedAgainst} <Sentence text={problem} />
        </span>
      ))}
      {end === null ? null : <Ended end={end} isEarly={Date.parse(end.time) < Date.parse(expires)} />}
    </>
  );
}

/** What expired ended when it was to end. */
function Ended({ end: { time, actor, reason }, isEarly }: EndedProps): ReactElement {
  if (!isEarly) return <> · {texts.expired}</>;
  return (
    <>
      {' '}
      · {texts.ended} <Timestamp time={time} /> {interventionTexts.by(isolated(actorName(actor)))}
      {reason === null ? null : (
        <>
          : <bdi>{reason}</bdi>
        </>
      )}
    </>
  );
}

interface EndedProps {
  readonly end: NonNullable<StoodThenPartsFragment['end']>;
  readonly isEarly: boolean;
}
