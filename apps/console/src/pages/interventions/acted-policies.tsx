import { type ReactElement, useEffect, useState } from 'react';
import { Link } from 'react-router';
import { client } from '../../api/client.ts';
import { emptyAnswer, problemOf } from '../../api/problem.ts';
import { Dialog } from '../../components/frames/dialog.tsx';
import { interventions as texts } from '../../messages/interventions.ts';
import { policy as policyTexts } from '../../messages/policy.ts';
import { links } from '../../navigation/links.ts';
import type { PolicyState } from '../../schema.generated.ts';
import { scopeText } from './intervention-scope.ts';
import {
  ActedPoliciesDocument,
  type ActedPoliciesQuery,
  type ActedPoliciesQueryVariables,
  type StandingInterventionFragment,
} from './interventions.generated.ts';

interface ActedPoliciesProps {
  readonly intervention: StandingInterventionFragment;
  readonly onClose: () => void;
}

type ActedPolicy = ActedPoliciesQuery['policies']['edges'][number]['node'];

/** The API's largest page, and as many as are read by somebody who asks what is stopped. */
const pageSize = 100;
const maximumPages = 10;

interface Found {
  readonly policies: readonly ActedPolicy[];
  readonly isComplete: boolean;
  readonly problem?: string;
}

/** Which policies an intervention acts on now. */
export function ActedPolicies({ intervention, onClose }: ActedPoliciesProps): ReactElement {
  const { id, kind, scope } = intervention;
  const [found, setFound] = useState<Found | undefined>();
  useEffect(() => {
    const aborter = new AbortController();
    void findActed({ id, state: texts.states[kind], signal: aborter.signal }).then((result) => {
      if (!aborter.signal.aborted) setFound(result);
    });
    return () => aborter.abort();
  }, [id, kind]);
  return (
    <Dialog title={texts.acted.title(scopeText(scope))} onClose={onClose} isWide>
      {found === undefined ? (
        <div className="skeleton" role="status" aria-label={texts.acted.looking} />
      ) : null}
      {found?.problem === undefined ? null : (
        <p className="problem" role="alert">
          {found.problem}
        </p>
      )}
      {found === undefined || found.problem !== undefined ? null : (
        <Policies found={found} onOpen={onClose} />
      )}
    </Dialog>
  );
}

function Policies({ found: { policies, isComplete }, onOpen }: PoliciesProps): ReactElement {
  return (
    <>
      <p>{isComplete ? texts.acted.count(policies.length) : texts.acted.atLeast(policies.length)}</p>
      <ul className="acted">
        {policies.map((policy) => {
          const { namespace, name, inForce, status } = policy;
          return (
            <li key={`${namespace}/${name}`}>
              <Link to={links.policy(policy)} onClick={onOpen}>
                <span className="quiet">{namespace}/</span>
                <bdi>{name}</bdi>
              </Link>
              <strong>{status?.statusReplicas ?? policyTexts.unknownCount}</strong>
              <span className="quiet">{policyTexts.bounds(inForce.minReplicas, inForce.maxReplicas)}</span>
            </li>
          );
        })}
      </ul>
    </>
  );
}

interface PoliciesProps {
  readonly found: Found;
  readonly onOpen: () => void;
}

/** Among the policies that are said to be so, those that this intervention is at. */
async function findActed(wanted: Wanted): Promise<Found> {
  const policies: ActedPolicy[] = [];
  let after: string | null = null;
  for (let page = 0; page < maximumPages; page += 1) {
    const read = await readPage(wanted, after);
    if ('problem' in read) return { policies, isComplete: false, problem: read.problem };
    policies.push(
      ...read.policies.filter(({ interventions }) => interventions.some(({ id }) => id === wanted.id)),
    );
    if (read.next === null) return { policies, isComplete: true };
    after = read.next;
  }
  return { policies, isComplete: false };
}

interface Wanted {
  readonly id: string;
  /** What is said of a policy that it acts on. */
  readonly state: PolicyState;
  readonly signal: AbortSignal;
}

type PageRead =
  { readonly policies: readonly ActedPolicy[]; readonly next: string | null } | { readonly problem: string };

async function readPage({ state, signal }: Wanted, after: string | null): Promise<PageRead> {
  const { data, error } = await client.query<ActedPoliciesQuery, ActedPoliciesQueryVariables>(
    ActedPoliciesDocument.text,
    { first: pageSize, after, states: [state] },
    { fetchOptions: { signal } },
  );
  if (data === undefined || error !== undefined)
    return { problem: (error === undefined ? emptyAnswer : problemOf(error)).message };
  const { edges, pageInfo } = data.policies;
  return { policies: edges.map(({ node }) => node), next: pageInfo.hasNextPage ? pageInfo.endCursor : null };
}
