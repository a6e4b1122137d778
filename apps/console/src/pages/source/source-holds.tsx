import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { PolicyEffects } from '../../components/actions/policy-effects.tsx';
import type { Forbidden } from '../../components/actions/required-role.ts';
import { sumEffects } from '../../components/actions/sum-effects.ts';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { isolated } from '../../components/words/isolated.ts';
import { effects as effectTexts } from '../../messages/effects.ts';
import { sources as texts } from '../../messages/sources.ts';
import { links } from '../../navigation/links.ts';
import { readHold } from './hold-reading.ts';
import { isOfRollback } from './is-of-rollback.ts';
import type { SourceHoldFragment } from './source.generated.ts';
import { SourceActionButton } from './source-action-button.tsx';

/** What waits for a person, or was rejected by one: why, what it would change, and who may decide. */
export function SourceHolds({ source, holds, onDone }: HoldsProps): ReactElement {
  return (
    <ul className="holds">
      {holds.map((hold) => (
        <li key={hold.digest} className="hold" data-rejected={hold.isRejected}>
          <HoldHead source={source} hold={hold} />
          <HoldContents hold={hold} />
          {isOfRollback(hold) ? (
            <Resumption source={source} onDone={onDone} />
          ) : (
            <HoldDecision source={source} hold={hold} onDone={onDone} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** What ends the wait. */
function Resumption({ source, onDone }: Pick<HoldsProps, 'onDone' | 'source'>): ReactElement {
  return (
    <div className="hold-decision">
      <span className="spring" />
      <SourceActionButton action={{ kind: 'resume', source }} isPrimary onDone={onDone} />
    </div>
  );
}

function HoldContents({ hold }: Pick<HoldProps, 'hold'>): ReactElement {
  const { effect, effects } = hold;
  const { causes, warnings } = readHold(hold);
  const sum = sumEffects(effects);
  const total = effect === null ? 0 : effect.added + effect.changed + effect.removed;
  return (
    <>
      {effects.length === 0 ? null : (
        <p className="hold-core">
          <strong>{effectTexts.atOnce(sum)}</strong> <span className="quiet">{effectTexts.others(sum)}</span>
        </p>
      )}
      <PolicyEffects effects={effects} total={total} warnings={warnings} linksTo="Policies" />
      {/* Of a hold of an earlier release only the texts are there. */}
      {effects.length > 0 || effect === null ? null : <Items items={effect.policies} />}
      <div className="hold-causes">
        <h3>{texts.hold.why(hold.isRejected)}</h3>
        {causes.map(({ code, message, items }) => (
          <div key={code} className="hold-cause">
            <p>
              {message} <span className="quiet">{code}</span>
            </p>
            <Items items={items} />
          </div>
        ))}
      </div>
    </>
  );
}

function Items({ items }: { readonly items: readonly string[] }): ReactElement | null {
  return items.length === 0 ? null : (
    <ul>
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  );
}

function HoldHead({ source, hold }: HoldProps): ReactElement {
  const { commit, tenant, since, isRejected, rejection, effect } = hold;
  return (
    <div className="hold-head">
      <Link className="commit-hash" to={links.revision(source, commit)}>
        {commit.slice(0, 7)}
      </Link>
      {tenant === null || tenant === '' ? null : <span>{`${texts.hold.tenant} ${tenant}`}</span>}
      {isRejected ? null : (
        <span className="quiet">
          {texts.hold.waiting} <Timestamp time={since} />
        </span>
      )}
      {isRejected ? <span className="badge">{texts.hold.rejected}</span> : null}
      {rejection === null ? null : (
        <span className="quiet">
          {texts.hold.rejectedBy(isolated(rejection.by), isolated(rejection.reason))} ·{' '}
          <Timestamp time={rejection.time} />
        </span>
      )}
      <span className="spring" />
      {effect === null ? null : <span>{texts.hold.effect(effect)}</span>}
    </div>
  );
}

/** Both are there whoever looks: what the caller may not is shown as that, with who could. */
function HoldDecision({ source, hold, onDone }: HoldProps & { readonly onDone: () => void }): ReactElement {
  const { digest, isRejected } = hold;
  const refusal = refusalOf(hold);
  const isNoApprover = hold.viewerMayApprove.code === 'Forbidden';
  return (
    <div className="hold-decision">
      {refusal === undefined ? null : (
        <p className="problem">
          <strong>{isNoApprover ? texts.hold.mayNeither : texts.hold.mayNot}</strong>
          <span>{refusal.why}</span>
          <span>{refusal.whoCould}</span>
        </p>
      )}
      <span className="spring" />
      {isRejected ? null : (
        <SourceActionButton
          action={{ kind: 'reject', source, digest }}
          // Whoever took part in it may take it back.
          refusal={isNoApprover ? refusal : undefined}
          onDone={onDone}
        />
      )}
      <SourceActionButton
        action={{ kind: 'approve', source, digest }}
        refusal={refusal}
        isPrimary
        onDone={onDone}
      />
    </div>
  );
}

function refusalOf({ viewerMayApprove }: SourceHoldFragment): Forbidden | undefined {
  const { allowed, code, message } = viewerMayApprove;
  if (allowed) return undefined;
  return { why: `${message ?? ''}.`, whoCould: texts.hold.whoMay[code ?? ''] ?? texts.hold.another };
}

interface HoldProps {
  readonly source: string;
  readonly hold: SourceHoldFragment;
}

interface HoldsProps {
  readonly source: string;
  readonly holds: readonly SourceHoldFragment[];
  readonly onDone: () => void;
}
