import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { links } from '../../app/links.ts';
import { Timestamp } from '../../components/timestamp.tsx';
import { policy as texts } from '../../messages/policy.ts';
import { EndButton } from './policy-actions.tsx';
import type { PolicyOfPage } from './policy-head.tsx';

interface StandingProps {
  readonly policy: PolicyOfPage;
  readonly onDone: () => void;
}

/** What operators have done to the policy and still stands, and what waits for an approval; nothing where there is none. */
export function Standing({ policy, onDone }: StandingProps): ReactElement | null {
  const { interventions, holds } = policy;
  const [hold] = holds;
  if (interventions.length === 0 && hold === undefined) return null;
  return (
    <section className="standing" aria-label={texts.standing.title}>
      {interventions.map((intervention) => (
        <StandingIntervention
          key={intervention.id}
          intervention={intervention}
          policy={policy}
          onDone={onDone}
        />
      ))}
      {hold === undefined ? null : (
        <p className="standing-line" data-severity="attention">
          <strong>{texts.held(holds.length)}</strong>{' '}
          <Link to={links.revision(hold.source, hold.commit)}>
            <code>{hold.commit.slice(0, 7)}</code>
          </Link>{' '}
          <span className="quiet">{hold.causes.map(({ message }) => message).join('; ')}</span>
        </p>
      )}
    </section>
  );
}

interface StandingInterventionProps extends StandingProps {
  readonly intervention: PolicyOfPage['interventions'][number];
}

function StandingIntervention({ intervention, policy, onDone }: StandingInterventionProps): ReactElement {
  const { id, kind, actor, reason, expires } = intervention;
  const { namespace, name, origin } = policy;
  return (
    <div className="standing-line" data-severity="operator">
      <span>
        <strong>{texts.interventions[kind]}</strong> {whatOf(intervention)} {texts.standing.until}{' '}
        <Timestamp time={expires} /> {texts.standing.by(actor)}: {reason}
      </span>
      <span className="spring" />
      <EndButton
        policies={[{ namespace, name, source: origin.source }]}
        intervention={{ id, kind }}
        onDone={onDone}
      />
    </div>
  );
}

/** `(both)`, or `(at least 6, at most 9)`. */
function whatOf(intervention: StandingInterventionProps['intervention']): string {
  const { direction, minReplicas, maxReplicas, replicas } = intervention;
  const { standing } = texts;
  const parts = [
    direction === null ? undefined : texts.directions[direction],
    minReplicas === null ? undefined : standing.atLeast(minReplicas),
    maxReplicas === null ? undefined : standing.atMost(maxReplicas),
    replicas === null ? undefined : standing.exactly(replicas),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : `(${parts.join(', ')})`;
}
