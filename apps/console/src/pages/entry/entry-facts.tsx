import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { actorName } from '#kernel';
import { PullRequestName, useSourceAddresses } from '../../components/facts/pull-request-name.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { isolated } from '../../components/words/isolated.ts';
import { plainCauses } from '../../components/words/plain-words.ts';
import { countText } from '../../messages/count-text.ts';
import { entry as messages } from '../../messages/entry.ts';
import {
  actionText,
  factText,
  isWordedFact,
  outcomeText,
  type WordedFact,
} from '../../messages/entry-words.ts';
import { links } from '../../navigation/links.ts';
import type { LedgerEntry } from './a-ledger-entry.ts';
import { endingOf, isEndedEarly } from './ended-intervention.ts';
import type {
  EntryCommitFragment,
  EntryDifferenceFragment,
  EntryPullRequestFragment,
} from './entry.generated.ts';
import { type Fact, FactList } from './fact-list.tsx';
import { InterventionEnd } from './intervention-end.tsx';
import { jsonText } from './json-changes.ts';
import { metricLines } from './metric-lines.ts';
import { orderArguments } from './order-arguments.ts';
import { sealFacts } from './seal-facts.tsx';

const texts = messages.facts;

/** What an entry says, field by field; of all kinds the same fields stand in the same order. */
export function EntryFacts({ entry }: { readonly entry: LedgerEntry }): ReactElement {
  return (
    <FactList
      rows={[
        ...actorFacts(entry),
        ...writeFacts(entry),
        ...hpaFacts(entry),
        ...spanFacts(entry),
        ...changeFacts(entry),
        ...messageFacts(entry),
        ...originFacts(entry),
        ...sealFacts(entry),
      ]}
    />
  );
}

/** Who asked for what, and why. */
function actorFacts(entry: LedgerEntry): readonly Fact[] {
  if (!('actor' in entry)) return [];
  if (!('operatorAction' in entry)) return [[texts.who, <strong>{actorName(entry.actor)}</strong>]];
  const { actor, operatorAction, outcome, arguments: given } = entry;
  const end = endingOf(entry);
  const { terms, ids } = orderArguments({ ...(given as object | null) });
  return [
    [texts.who, <strong>{actorName(actor)}</strong>],
    [texts.action, <span title={operatorAction}>{actionText(operatorAction, given)}</span>],
    [texts.outcome, <Outcome outcome={outcome} />],
    ...argumentFacts(terms, expiryTitle(entry)),
    ...(end === null ? [] : [[texts.ended, <InterventionEnd {...end} />] as const]),
    ...reasonFacts(entry),
    ...argumentFacts(ids),
  ];
}

/** What has ended stands until nothing. */
function expiryTitle(
  entry: Extract<LedgerEntry, { readonly __typename: 'OperatorAction' }>,
): string | undefined {
  if (isEndedEarly(entry)) return texts.wouldExpire;
  return endingOf(entry) === null ? undefined : texts.expired;
}

function argumentFacts(
  given: readonly (readonly [string, unknown])[],
  expiry: string | undefined = texts.arguments['expires'],
): readonly Fact[] {
  const titleOf = (name: string): string => (name === 'expires' ? expiry : texts.arguments[name]) ?? name;
  return given.map(([name, value]) => [titleOf(name), <Argument name={name} value={value} />]);
}

/** Of what was refused, why it was, and why it was asked for. */
function reasonFacts({ outcome, operatorReason, givenReason }: Reasons): readonly Fact[] {
  const given = outcome === 'Refused' ? givenReason : operatorReason;
  return [
    ...(outcome === 'Refused' && operatorReason !== null
      ? [[texts.refusal, isolated(operatorReason)] as const]
      : []),
    [texts.reason, given === null ? <span className="quiet">{texts.noReason}</span> : isolated(given)],
  ];
}

type Reasons = Pick<
  Extract<LedgerEntry, { readonly __typename: 'OperatorAction' }>,
  'outcome' | 'operatorReason' | 'givenReason'
>;

function Outcome({ outcome }: { readonly outcome: string }): ReactElement {
  return outcome === 'Accepted' ? (
    <>{outcomeText(outcome)}</>
  ) : (
    <span className="badge" data-severity="attention">
      {outcomeText(outcome)}
    </span>
  );
}

/** In words, with that of the API in its tooltip. */
function Word({ of, word }: { readonly of: WordedFact; readonly word: string }): ReactElement {
  return <span title={word}>{factText(of, word)}</span>;
}

/** What an action was given; what it names, and can be looked at, is a link. */
function Argument({ name, value }: { readonly name: string; readonly value: unknown }): ReactElement {
  if (typeof value !== 'string') return <code>{jsonText(value)}</code>;
  const [namespace = '', policy] = value.split('/');
  if (name === 'policy' && policy !== undefined)
    return <Link to={links.policy({ namespace, name: policy })}>{value}</Link>;
  if (name === 'source') return <Link to={links.source(value)}>{value}</Link>;
  if (isWordedFact(name)) return <Word of={name} word={value} />;
  return name === 'expires' || name === 'until' ? <Timestamp time={value} /> : <>{isolated(value)}</>;
}

/** Of a change of the count: who wrote it, and why. */
function writeFacts(entry: LedgerEntry): readonly Fact[] {
  const isEvent = 'origin' in entry;
  return [
    ...(isEvent ? [[texts.by, actorName(entry.manager ?? entry.origin)] as const] : []),
    ...(isEvent && entry.autoscaler !== null ? [[texts.autoscaler, entry.autoscaler] as const] : []),
    ...('why' in entry ? [[texts.reason, entry.why] as const] : []),
    ...('resourceVersion' in entry && entry.resourceVersion !== null
      ? [[texts.resourceVersion, <code>{entry.resourceVersion}</code>] as const]
      : []),
  ];
}

/** Of a write of an HPA: what was, or is to be, done to it. */
function hpaFacts(entry: LedgerEntry): readonly Fact[] {
  if (!('verb' in entry)) return [];
  const { verb, drift, driftManager, differences, departures, specDigest } = entry;
  return [
    [texts.verb, <Word of="verb" word={verb} />],
    ...('result' in entry ? [[texts.result, <Word of="result" word={entry.result} />] as const] : []),
    ...(drift === null ? [] : [[texts.drift, [drift, driftManager].filter(Boolean).join(' · ')] as const]),
    ...(differences.length === 0 ? [] : [[texts.differences, <Differences of={differences} />] as const]),
    ...('dropped' in entry && entry.dropped.length > 0
      ? [[texts.dropped, <Differences of={entry.dropped} />] as const]
      : []),
    ...(departures.length === 0 ? [] : [[texts.departures, <Lines of={departures} />] as const]),
    ...(specDigest === null ? [] : [[texts.digest, <code>{specDigest}</code>] as const]),
  ];
}

function Differences({ of }: { readonly of: readonly EntryDifferenceFragment[] }): ReactElement {
  return (
    <Lines
      of={of.map(
        ({ field, found, wanted }) => `${field}: ${found ?? messages.absent} → ${wanted ?? messages.absent}`,
      )}
    />
  );
}

/** Each in a line of its own. */
function Lines({ of }: { readonly of: readonly string[] }): ReactElement {
  return (
    <ul className="entry-lines">
      {of.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** Of what was the same for a time. */
function spanFacts(entry: LedgerEntry): readonly Fact[] {
  if (!('count' in entry)) return [];
  const { first, last, count, metrics } = entry;
  const lines = metricLines(metrics);
  return [
    [texts.repeated, countText(count)],
    [texts.from, <Timestamp time={first} />],
    [texts.until, <Timestamp time={last} />],
    'repeated' in entry
      ? [
          texts.decided,
          entry.repeatedCount === null
            ? texts.keeps
            : `${entry.repeated} · ${countText(entry.repeatedCount)}`,
        ]
      : [texts.counts, texts.hpaCounts(entry.seenReplicas, entry.wantedReplicas)],
    ...(lines.length === 0 ? [] : [[texts.metrics, <Lines of={lines} />] as const]),
    ...('conditions' in entry
      ? [
          [
            texts.conditions,
            <Lines of={entry.conditions.map(({ type, status, reason }) => `${type} ${status}: ${reason}`)} />,
          ] as const,
        ]
      : []),
  ];
}

function changeFacts(entry: LedgerEntry): readonly Fact[] {
  if ('field' in entry)
    return [[texts.field, `${entry.field}: ${entry.wordBefore ?? messages.absent} → ${entry.wordAfter}`]];
  if ('departure' in entry && entry.departure !== null)
    return [[texts.departure, <Word of="departure" word={entry.departure} />]];
  return [];
}

function messageFacts(entry: LedgerEntry): readonly Fact[] {
  const code = 'failureCode' in entry ? entry.failureCode : 'resultCode' in entry ? entry.resultCode : null;
  return [
    ...('syncOutcome' in entry ? [[texts.outcome, entry.syncOutcome] as const] : []),
    ...(code === null ? [] : [[texts.code, <code>{code}</code>] as const]),
    ...('message' in entry ? [[texts.message, plainCauses(entry.message)] as const] : []),
  ];
}

/** Where it comes from: decision, intent, source, commit, and who allowed that. */
function originFacts(entry: LedgerEntry): readonly Fact[] {
  const commit = 'reviewed' in entry ? entry.reviewed : 'broughtBy' in entry ? entry.broughtBy : null;
  const source = 'source' in entry ? entry.source : undefined;
  return [
    ...('decisionId' in entry && entry.decisionId !== null
      ? [[texts.decision, <Link to={links.decision(entry.decisionId)}>{texts.decisionLink}</Link>] as const]
      : []),
    ...('intentId' in entry
      ? [[texts.intent, <Link to={links.entry(entry.intentId)}>{texts.intentLink}</Link>] as const]
      : []),
    ...(source === undefined
      ? []
      : [[texts.source, <Link to={links.source(source)}>{source}</Link>] as const]),
    ...(commit === null ? [] : [[texts.commit, <CommitName commit={commit} source={source} />] as const]),
    ...('pullRequest' in entry ? pullRequestFacts(entry.pullRequest, source) : []),
  ];
}

/** A revision where the source is known; else all that the commit has brought about. */
function CommitName({ commit, source }: CommitNameProps): ReactElement {
  const { hash, subject, author } = commit;
  const to = source === undefined ? links.auditOfCommit(hash) : links.revision(source, hash);
  return (
    <>
      <Link to={to}>
        <code>{hash.slice(0, 7)}</code>
      </Link>{' '}
      <strong>{subject}</strong> <span className="quiet">{author}</span>
    </>
  );
}

interface CommitNameProps {
  readonly commit: EntryCommitFragment;
  readonly source: string | undefined;
}

function pullRequestFacts(
  pullRequest: EntryPullRequestFragment | null,
  source: string | undefined,
): readonly Fact[] {
  if (pullRequest === null)
    return [[texts.pullRequest, <span className="quiet">{texts.noPullRequest}</span>]];
  const { number, author, approvers, verified } = pullRequest;
  const rest = [author ?? '', verified ? '' : texts.claimed]
    .filter((part) => part !== '')
    .map((part) => ` · ${part}`)
    .join('');
  return [
    [
      texts.pullRequest,
      <>
        {number === null ? null : <EntryPullRequest number={number} source={source} />}
        {rest}
      </>,
    ],
    [
      texts.approvers,
      approvers.length === 0 ? <span className="quiet">{texts.noApprovers}</span> : approvers.join(', '),
    ],
  ];
}

function EntryPullRequest({ number, source }: EntryPullRequestProps): ReactElement {
  const addressOf = useSourceAddresses();
  return <PullRequestName number={number} url={addressOf(source)} />;
}

interface EntryPullRequestProps {
  readonly number: number;
  /** Undefined: the entry names none. */
  readonly source: string | undefined;
}
