import type { ReactElement, SubmitEvent } from 'react';
import { useSearchParams } from 'react-router';
import { Folded } from '../../components/frames/folded.tsx';
import { TimeField } from '../../components/time/time-field.tsx';
import { readTypedTime, typedTime } from '../../components/time/typed-time.ts';
import { audit as texts, entryKinds } from '../../messages/audit.ts';
import { entryKindWords } from '../../messages/entry-words.ts';
import { timeZone, type TimeZoneChoice } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { filterNames } from './audit-filter.ts';

type FilterName = (typeof filterNames)[number];

/** The filters, which live in the address: a filtered timeline is a link. */
export function AuditFilters(): ReactElement {
  const [search, setSearch] = useSearchParams();
  const zone = useStore(timeZone);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const data = new FormData(event.target);
    const given = filterNames.map((name) => {
      const value = data.get(name);
      const text = typeof value === 'string' ? value.trim() : '';
      const isTime = name === 'from' || name === 'until';
      return [name, isTime ? timeOf(text, search.get(name) ?? '', zone) : text] as const;
    });
    setSearch(Object.fromEntries(given.filter(([, value]) => value !== '')));
  };
  return (
    <form className="audit-filters" aria-label={texts.filters} onSubmit={submit}>
      <Folded title={texts.folded(filterNames.filter((name) => search.has(name)).length)}>
        <label className="labelled">
          {texts.kind}
          <select className="field" name="kind" defaultValue={search.get('kind') ?? ''}>
            <option value="">{texts.everyKind}</option>
            {entryKinds.map((kind) => (
              <option key={kind} value={kind}>
                {entryKindWords[kind]}
              </option>
            ))}
          </select>
        </label>
        <TextFilter name="namespace" title={texts.namespace} />
        <TextFilter name="policy" title={texts.policy} placeholder={texts.policyExample} />
        <TextFilter name="actor" title={texts.actor} />
        <TextFilter name="commit" title={texts.commit} placeholder={texts.commitExample} />
        <TimeField name="from" title={texts.from} time={search.get('from') ?? ''} />
        <TimeField name="until" title={texts.until} time={search.get('until') ?? ''} />
        <span className="audit-filters-buttons">
          <button type="submit" className="button button-primary">
            {texts.apply}
          </button>
          <button type="button" className="button" onClick={() => setSearch({})}>
            {texts.clear}
          </button>
        </span>
      </Folded>
    </form>
  );
}

/** A time that was not touched stays as the address has it, to the fraction of a second. */
function timeOf(field: string, before: string, zone: TimeZoneChoice): string {
  return field !== '' && field === typedTime(before, zone) ? before : (readTypedTime(field, zone) ?? '');
}

function TextFilter({ name, title, placeholder }: TextFilterProps): ReactElement {
  const [search] = useSearchParams();
  return (
    <label className="labelled">
      {title}
      <input
        className="field"
        name={name}
        maxLength={507}
        placeholder={placeholder}
        defaultValue={search.get(name) ?? ''}
      />
    </label>
  );
}

interface TextFilterProps {
  readonly name: FilterName;
  readonly title: string;
  readonly placeholder?: string;
}
