import type { ReactElement } from 'react';
import { actions } from '../../messages/actions.ts';
import { timeZone } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { plainTimes } from '../words/plain-times.ts';
import type { ActionEffectPartsFragment } from './action-effect.generated.ts';
import { ActionProblem } from './action-problem.tsx';
import { PolicyEffects } from './policy-effects.tsx';

/** What an action will do, per policy: counts and bounds now and then. */
export function EffectView({ effect }: { readonly effect: ActionEffectPartsFragment }): ReactElement {
  const zone = useStore(timeZone);
  const { summary, policies, changes, problems } = effect;
  // What a dialog about a source says in both forms is read once.
  const texts = policies.length === 0 ? changes : [];
  return (
    <>
      <p>{plainTimes(summary, zone)}</p>
      <PolicyEffects effects={policies} total={effect.total} />
      {texts.length === 0 ? null : <pre className="code">{texts.join('\n')}</pre>}
      {problems.map((problem) => (
        <ActionProblem key={problem} text={problem} />
      ))}
      {effect.requires.force ? <p className="quiet">{actions.forceOnly}</p> : null}
    </>
  );
}
