import type { ReactElement } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { decision } from '../../messages/decision.ts';
import { pullRequestAddress } from './pull-request-address.ts';
import { SourceAddressesDocument } from './source-addresses.generated.ts';

/** A pull request of a source. */
export interface PullRequestNameProps {
  readonly number: number;
  /** Of the source's repository; undefined: it is not known. */
  readonly url: string | undefined;
}

/** `#42`: a link where the address of the source's repository says which forge it is at. */
export function PullRequestName({ number, url }: PullRequestNameProps): ReactElement {
  const address = url === undefined ? undefined : pullRequestAddress(url, number);
  const name = decision.blame.number(number);
  if (address === undefined) return <>{name}</>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {name}
    </a>
  );
}

/** The addresses of the sources' repositories, by name. */
export function useSourceAddresses(): (source: string | undefined) => string | undefined {
  const { data } = useAnswer(SourceAddressesDocument, {}, { everySeconds: 0 });
  return (source) => data?.sources.find(({ name }) => name === source)?.url;
}
