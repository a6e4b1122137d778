import { Fragment, type ReactElement } from 'react';
import { Link } from 'react-router';
import { policy } from '../../messages/policy.ts';
import { links } from '../../navigation/links.ts';
import type { PolicyEffectiveValuesQuery } from './effective-values.generated.ts';
import type { PolicyOfPage } from './policy-head.tsx';

const texts = policy.spec;

type Value = NonNullable<PolicyEffectiveValuesQuery['policy']>['effectiveValues'][number];

/** Every value that is in force, and what it comes from: what somebody wrote first, then what nobody did. */
export function EffectiveValues({ policy: { origin, document }, values }: Props): ReactElement {
  const { written = [], defaults = [] } = Object.groupBy(values, ({ origin: { file } }) =>
    file === null ? 'defaults' : 'written',
  );
  return (
    <>
      <p className="quiet">
        {texts.linesOf} <code>{origin.file}</code>
      </p>
      <Values values={written} document={origin} />
      <details className="policy-document">
        <summary>{texts.defaults(defaults.length)}</summary>
        <Values values={defaults} document={origin} />
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
    </>
  );
}

interface Props {
  readonly policy: PolicyOfPage;
  readonly values: readonly Value[];
}

function Values({ values, document }: ValuesProps): ReactElement {
  return (
    <ul className="changes values">
      {values.map((value) => (
        <li key={value.path}>
          <Path path={value.path} /> <ins>{textOf(value.value)}</ins>{' '}
          <Origin {...value.origin} document={document} />
        </li>
      ))}
    </ul>
  );
}

/** Where it is too long for its column, it goes on after a dot. */
function Path({ path }: { readonly path: string }): ReactElement {
  return (
    <code>
      {path.split('.').map((part, index) => (
        // A name can come again.
        <Fragment key={`${index} ${part}`}>
          {index === 0 ? null : '.'}
          <wbr />
          {part}
        </Fragment>
      ))}
    </code>
  );
}

interface ValuesProps {
  readonly values: readonly Value[];
  /** The policy's own. */
  readonly document: PolicyOfPage['origin'];
}

type OriginProps = Value['origin'] & Pick<ValuesProps, 'document'>;

/** A line of the policy's own file by its number; of another, with its name. */
function Origin({ kind, file, line, commit, document }: OriginProps): ReactElement {
  if (file === null) return <span className="quiet">{texts.origins[kind]}</span>;
  const place = line === null ? file : texts.from(file, line);
  const shown = file === document.file && line !== null ? `:${line}` : place;
  return (
    <span className="quiet" data-place={shown === place ? 'other' : 'own'}>
      {kind === 'PolicyDefaults' ? `${texts.origins[kind]} ` : null}
      {commit === null ? (
        <code>{shown}</code>
      ) : (
        <Link to={links.revision(document.source, commit.hash)} aria-label={place} title={place}>
          <code>{shown}</code>
        </Link>
      )}
    </span>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
