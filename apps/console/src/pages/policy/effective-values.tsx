import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { useAnswer } from '../../api/use-answer.ts';
import { links } from '../../app/links.ts';
import { Panel } from '../../components/panel.tsx';
import { policy } from '../../messages/policy.ts';
import {
  PolicyEffectiveValuesDocument,
  type PolicyEffectiveValuesQuery,
} from './effective-values.generated.ts';
import type { PolicyOfPage } from './policy-head.tsx';

const texts = policy.spec;

/** They change with a commit only. */
const everySeconds = 60;

type Value = NonNullable<PolicyEffectiveValuesQuery['policy']>['effectiveValues'][number];

/** Every value that is in force, and what it comes from: what somebody wrote first, then what nobody did. */
export function EffectiveValues({ policy: { namespace, name, origin, document } }: Props): ReactElement {
  const query = { document: PolicyEffectiveValuesDocument, variables: { namespace, name } };
  const answer = useAnswer(query.document, query.variables, { everySeconds });
  const values = answer.data?.policy?.effectiveValues ?? [];
  const { written = [], defaults = [] } = Object.groupBy(values, ({ origin: { file } }) =>
    file === null ? 'defaults' : 'written',
  );
  return (
    <Panel title={texts.title} answer={answer} query={query}>
      <Values values={written} source={origin.source} />
      <details className="policy-document">
        <summary>{texts.defaults(defaults.length)}</summary>
        <Values values={defaults} source={origin.source} />
      </details>
      <details className="policy-document">
        <summary>
          <code>{texts.from(origin.file, origin.line)}</code> <span className="quiet">{texts.note}</span>
        </summary>
        {/* It scrolls: reachable by the keyboard. */}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre className="code" tabIndex={0}>
          {JSON.stringify(document, undefined, 2)}
        </pre>
      </details>
    </Panel>
  );
}

interface Props {
  readonly policy: PolicyOfPage;
}

function Values({
  values,
  source,
}: {
  readonly values: readonly Value[];
  readonly source: string;
}): ReactElement {
  return (
    <ul className="changes">
      {values.map((value) => (
        <li key={value.path}>
          <code>{value.path}</code> <ins>{textOf(value.value)}</ins>{' '}
          <Origin {...value.origin} source={source} />
        </li>
      ))}
    </ul>
  );
}

function Origin({
  kind,
  file,
  line,
  commit,
  source,
}: Value['origin'] & { readonly source: string }): ReactElement {
  if (file === null) return <span className="quiet">{texts.origins[kind]}</span>;
  const place = line === null ? file : texts.from(file, line);
  return (
    <span className="quiet">
      {kind === 'PolicyDefaults' ? `${texts.origins[kind]} ` : null}
      {commit === null ? (
        <code>{place}</code>
      ) : (
        <PlaceLink place={place} source={source} commit={commit.hash} />
      )}
    </span>
  );
}

function PlaceLink({ place, source, commit }: PlaceLinkProps): ReactElement {
  return (
    <Link to={links.revision(source, commit)}>
      <code>{place}</code>
    </Link>
  );
}

interface PlaceLinkProps {
  readonly place: string;
  readonly source: string;
  readonly commit: string;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
