import type { ReactElement, SubmitEvent } from 'react';
import { useSearchParams } from 'react-router';
import { audit as texts, entryKinds } from '../../messages/audit.ts';
import { filterNames } from './audit-filter.ts';

/** The filters, which live in the address: a filtered timeline is a link. */
export function AuditFilters(): ReactElement {
  const [search, setSearch] = useSearchParams();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const data = new FormData(event.target);
    const given = filterNames.map((name) => [name, data.get(name)] as const);
    setSearch(
      Object.fromEntries(
        given.flatMap(([name, value]) =>
          typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
        ),
      ),
    );
  };
  return (
    <form className="audit-filters" aria-label={texts.filters} onSubmit={submit}>
      <label className="labelled">
        {texts.kind}
        <select className="field" name="kind" defaultValue={search.get('kind') ?? ''}>
          <option value="">{texts.everyKind}</option>
          {entryKinds.map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
      </label>
      <TextFilter name="namespace" title={texts.namespace} />
      <TextFilter name="actor" title={texts.actor} />
      <TextFilter name="from" title={texts.from} type="datetime-local" />
      <TextFilter name="until" title={texts.until} type="datetime-local" />
      <button type="submit" className="button button-primary">
        {texts.apply}
      </button>
      <button type="button" className="button" onClick={() => setSearch({})}>
        {texts.clear}
      </button>
    </form>
  );
}

function TextFilter({ name, title, type = 'text' }: TextFilterProps): ReactElement {
  const [search] = useSearchParams();
  return (
    <label className="labelled">
      {title}
      <input
        className="field"
        name={name}
        type={type}
        maxLength={253}
        defaultValue={search.get(name) ?? ''}
      />
    </label>
  );
}

interface TextFilterProps {
  readonly name: (typeof filterNames)[number];
  readonly title: string;
  readonly type?: 'text' | 'datetime-local';
}
