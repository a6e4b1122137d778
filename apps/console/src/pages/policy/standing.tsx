import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { Sentence } from '../../components/words/sentence.tsx';
import { interventions as interventionTexts } from '../../messages/interventions.ts';
import { policy as texts } from '../../messages/policy.ts';
import { links } from '../../navigation/links.ts';
import { EndButton } from '../interventions/end-button.tsx';
import { scopeText } from '../interventions/intervention-scope.ts';
import { interventionTerms } from '../interventions/intervention-terms.ts';
import { isOfRollback } from '../source/is-of-rollback.ts';
import type { PolicyOfPage } from './policy-head.tsx';

interface StandingProps {
  readonly policy: PolicyOfPage;
  readonly onDone: () => void;
}

/** What operators have done to the policy and still stands, what waits for an approval or until its source is resumed, and what was rejected; nothing where there is none. */
export function Standing({ policy, onDone }: StandingProps): ReactElement | null {
  const { interventions, holds, notVisibleHolds } = policy;
  if ([interventions, holds, notVisibleHolds].every(({ length }) => length === 0)) return null;
  const pinned = holds.filter(isOfRollback);
  const waiting = holds.filter((hold) => !hold.isRejected && !isOfRollback(hold));
  const rejected = holds.filter(({ isRejected }) => isRejected);
  return (
    <section className="standing" aria-label={texts.standing}>
      {interventions.map((intervention) => (
        <StandingIntervention key={intervention.id} intervention={intervention} onDone={onDone} />
      ))}
      <StandingHolds holds={waiting} title={texts.held(waiting.length)} />
      <StandingHolds holds={pinned} title={texts.untilResumed(pinned.length)} />
      <StandingHolds holds={rejected} title={texts.rejected(rejected.length)} />
      {notVisibleHolds.map((hold) => (
        <PartOfHold key={`${hold.source} ${hold.commit} ${hold.since}`} hold={hold} />
      ))}
    </section>
  );
}

interface StandingHoldsProps {
  readonly title: string;
  readonly holds: PolicyOfPage['holds'];
}

/** The first of them stands for all: each has its page. */
function StandingHolds({ title, holds: [hold] }: StandingHoldsProps): ReactElement | null {
  if (hold === undefined) return null;
  const { rejection } = hold;
  return (
    <p className="standing-line" data-severity="attention">
      <strong>{title}</strong>{' '}
      <Link to={links.revision(hold.source, hold.commit)}>
        <code>{hold.commit.slice(0, 7)}</code>
      </Link>{' '}
      {rejection === null ? null : (
        <span>
          {interventionTexts.by(rejection.by)}: <bdi>{rejection.reason}</bdi> ·{' '}
          <Timestamp time={rejection.time} />
        </span>
      )}{' '}
      <span className="quiet">{hold.causes.map(({ message }) => message).join('; ')}</span>
    </p>
  );
}

/** Of a hold that the caller may not see whole, what it does to this policy. */
function PartOfHold({ hold }: PartOfHoldProps): ReactElement {
  const { commit, since, isRejected, change, message } = hold;
  return (
    <p className="standing-line" data-severity="attention">
      <strong>{isRejected ? texts.rejected(1) : texts.held(1)}</strong> <code>{commit.slice(0, 7)}</code>{' '}
      <span>
        {change ?? texts.mayChange} · <Timestamp time={since} />
      </span>{' '}
      <span className="quiet">{texts.restNotVisible(message)}</span>
    </p>
  );
}

interface PartOfHoldProps {
  readonly hold: PolicyOfPage['notVisibleHolds'][number];
}

interface StandingInterventionProps extends Pick<StandingProps, 'onDone'> {
  readonly intervention: PolicyOfPage['interventions'][number];
}

function StandingIntervention({ intervention, onDone }: StandingInterventionProps): ReactElement {
  const { kind, actor, reason, expires, scope, against } = intervention;
  const terms = interventionTerms(intervention);
  return (
    <div className="standing-line" data-severity="operator">
      <span>
        <strong>{interventionTexts.kinds[kind]}</strong> {terms === '' ? null : `(${terms}) `}
        <Wider scope={scope} />
        {interventionTexts.until} <Timestamp time={expires} /> {interventionTexts.by(actor)}:{' '}
        <bdi>{reason}</bdi>
        {against.map((problem) => (
          <span key={problem} className="quiet">
            {' '}
            · {interventionTexts.forcedAgainst} <Sentence text={problem} />
          </span>
        ))}
      </span>
      <span className="spring" />
      <EndButton interventions={[intervention]} onDone={onDone} />
    </div>
  );
}

/** Who ends it here ends it for others, too. */
function Wider({ scope }: Pick<StandingInterventionProps['intervention'], 'scope'>): ReactElement | null {
  return scope.kind === 'Policy' ? null : (
    <>
      {interventionTexts.of} <Link to={links.interventions}>{scopeText(scope)}</Link>{' '}
    </>
  );
}
