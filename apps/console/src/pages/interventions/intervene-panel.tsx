import { type ReactElement, useEffect, useState } from 'react';
import { serverNow } from '../../api/server-time.ts';
import { ActionButton } from '../../components/actions/action-button.tsx';
import { ActionDialog } from '../../components/actions/action-dialog.tsx';
import { ForbiddenNote } from '../../components/actions/forbidden-note.tsx';
import type { RequiredRole } from '../../components/actions/required-role.ts';
import { Panel } from '../../components/frames/panel.tsx';
import { interventions } from '../../messages/interventions.ts';
import { knownPlaces, loadPlaces, placesOf } from '../../navigation/places.ts';
import type { ScalingDirection } from '../../schema.generated.ts';
import { useStore } from '../../state/store.ts';
import { DirectionField } from './direction-field.tsx';
import { beginning, type ScopedIntervention } from './intervention-requests.ts';
import { type InterventionScope, operatorOf } from './intervention-scope.ts';
import { type InterventionsPageQuery, SuspendScalingDocument } from './interventions.generated.ts';

const texts = interventions.begin;

/** Scopes that are wider than a policy, with what names one of each. */
const names = { Namespace: 'namespace', Source: 'source', MetricSource: 'metricSource' } as const;
type NamedKind = keyof typeof names;
const kinds = ['Namespace', 'Source', 'MetricSource', 'Cluster'] as const;

/** Begins an intervention on more than one policy. */
export function IntervenePanel({ led, sources, onDone }: IntervenePanelProps): ReactElement {
  const [kind, setKind] = useState(kinds.find((each) => each === led.kind) ?? 'Namespace');
  const [name, setName] = useState(led.name ?? '');
  const choose = (chosen: string): void => {
    setKind(kinds.find((each) => each === chosen) ?? 'Namespace');
    setName('');
  };
  const named = kind === 'Cluster' ? {} : { [names[kind]]: name.trim() };
  // Sent by hand as it is shown, it only says what it would do.
  const variables = { scope: kind, ...named, direction: 'Both', expires: inAnHour(), dryRun: true };
  return (
    <Panel title={texts.title} query={{ document: SuspendScalingDocument, variables }}>
      <p className="quiet interventions-text">{texts.text}</p>
      <div className="intervene">
        <label className="labelled">
          {texts.of}
          <select className="field" value={kind} onChange={({ target }) => choose(target.value)}>
            {kinds.map((each) => (
              <option key={each} value={each}>
                {texts.scopes[each]}
              </option>
            ))}
          </select>
        </label>
        {kind === 'Cluster' ? null : (
          <NameField kind={kind} value={name} sources={sources} onChange={setName} />
        )}
        <Beginnings
          scope={{ kind, ...named }}
          roles={sources.find((source) => kind === 'Source' && source.name === name.trim())?.viewerRoles}
          isNamed={kind === 'Cluster' || name.trim() !== ''}
          onDone={onDone}
        />
      </div>
    </Panel>
  );
}

function inAnHour(): string {
  return new Date(serverNow() + 3_600_000).toISOString();
}

interface IntervenePanelProps {
  /** Where the address leads to. */
  readonly led: { readonly kind: string | null; readonly name: string | null };
  /** With the roles that the caller has in all of each. */
  readonly sources: InterventionsPageQuery['sources'];
  /** Something may have changed. */
  readonly onDone: () => void;
}

/** Names that are known are proposed. */
function NameField({ kind, value, sources, onChange }: NameFieldProps): ReactElement {
  const namespaces = useNamespaces();
  const names = sources.map((source) => source.name);
  const proposed = { Namespace: namespaces, Source: names, MetricSource: [] }[kind];
  return (
    <label className="labelled">
      {texts.names[kind]}
      <input
        className="field"
        list="intervene-names"
        spellCheck={false}
        value={value}
        placeholder={texts.examples[kind]}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id="intervene-names">
        {proposed.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </label>
  );
}

interface NameFieldProps extends Pick<IntervenePanelProps, 'sources'> {
  readonly kind: NamedKind;
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** Of the policies that the palette knows. */
function useNamespaces(): readonly string[] {
  const known = useStore(knownPlaces);
  useEffect(() => void loadPlaces(), []);
  const policies = placesOf(known).filter(({ kind }) => kind === 'policy');
  return [...new Set(policies.map(({ title }) => title.split('/')[0] ?? ''))].toSorted();
}

function Beginnings({ scope, roles, isNamed, onDone }: BeginningsProps): ReactElement {
  const requires = operatorOf(scope, roles);
  return (
    <div className="intervene-buttons">
      {beginnings.map((kind) => (
        <ActionButton
          key={kind}
          title={texts[kind]}
          requires={requires}
          isDisabled={!isNamed}
          dialog={<BeginningDialog kind={kind} scope={scope} requires={requires} onDone={onDone} />}
        />
      ))}
      <ForbiddenNote of={[{ titles: beginnings.map((kind) => texts[kind]), requires }]} />
    </div>
  );
}

const beginnings = ['suspend', 'dryRun'] as const;

interface BeginningsProps extends Pick<IntervenePanelProps, 'onDone'> {
  readonly scope: InterventionScope;
  readonly roles: Parameters<typeof operatorOf>[1];
  readonly isNamed: boolean;
}

function BeginningDialog({ kind, scope, requires, onDone }: BeginningDialogProps): ReactElement {
  const [direction, setDirection] = useState<ScalingDirection>('Both');
  const intervention: ScopedIntervention = kind === 'suspend' ? { kind, direction } : { kind };
  return (
    <ActionDialog
      title={texts[kind]}
      requires={requires}
      hasExpiry
      actions={[beginning(scope, intervention)]}
      actionKey={JSON.stringify(intervention)}
      onSent={onDone}
    >
      {kind === 'suspend' ? <DirectionField value={direction} onChange={setDirection} /> : null}
    </ActionDialog>
  );
}

interface BeginningDialogProps extends Pick<BeginningsProps, 'scope' | 'onDone'> {
  readonly kind: ScopedIntervention['kind'];
  readonly requires: RequiredRole;
}
