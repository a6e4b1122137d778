import type { ReactElement } from 'react';
import { actions } from '../../messages/actions.ts';
import { timeZone } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { formatTime } from '../time/format-time.ts';
import type { ActionEffectPartsFragment } from './action-effect.generated.ts';
import { PolicyEffects } from './policy-effects.tsx';

/** What an action will do, per policy: counts and bounds now and then. */
export function EffectView({ effect }: { readonly effect: ActionEffectPartsFragment }): ReactElement {
  const zone = useStore(timeZone);
  const { summary, until, policies, changes, problems } = effect;
  // What a dialog about a source says in both forms is read once.
  const texts = policies.length === 0 ? changes : [];
  return (
    <>
      {/* Times in it are written as everywhere. */}
      <p>{until === null ? summary : summary.replaceAll(until, formatTime(until, zone))}</p>
      <PolicyEffects effects={policies} total={effect.total} />
      {texts.length === 0 ? null : <pre className="code">{texts.join('\n')}</pre>}
      {problems.map((problem) => (
        <p key={problem} className="problem">
          {problem}
        </p>
      ))}
      {effect.requires.force ? <p className="quiet">{actions.forceOnly}</p> : null}
    </>
  );
}
