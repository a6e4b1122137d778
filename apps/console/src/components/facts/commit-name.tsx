import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { links } from '../../navigation/links.ts';

/** A commit's short name, which leads to what its source made of it. */
export function CommitName({ source, hash }: CommitNameProps): ReactElement {
  const short = <code>{hash.slice(0, 7)}</code>;
  return source === undefined ? short : <Link to={links.revision(source, hash)}>{short}</Link>;
}

interface CommitNameProps {
  /** Undefined: not known. */
  readonly source: string | undefined;
  readonly hash: string;
}
