import { type ReactElement, useState } from 'react';

interface SearchFieldProps {
  readonly label: string;
  /** What the address looks for. */
  readonly wanted: string;
  readonly onSearch: (search: string) => void;
}

/** What `/` goes to. The address follows what is typed, some renderings later: the field does not wait for it. */
export function SearchField({ label, wanted, onSearch }: SearchFieldProps): ReactElement {
  const [typed, setTyped] = useState(wanted);
  const [seen, setSeen] = useState(wanted);
  const [isFocused, setFocused] = useState(false);
  if (seen !== wanted) {
    setSeen(wanted);
    if (!isFocused) setTyped(wanted);
  }
  return (
    <input
      className="field search"
      type="search"
      data-keys="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onChange={({ target }) => {
        setTyped(target.value);
        onSearch(target.value);
      }}
      onKeyDown={({ key, currentTarget }) => (key === 'Escape' ? currentTarget.blur() : undefined)}
    />
  );
}
