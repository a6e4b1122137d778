import { orPreview } from '../resources/action-effect.ts';
import {
  leaveReportSchema,
  leaveRequestSchema,
  leaveTarget,
  leavingPolicySchema,
} from '../resources/leave.ts';
import { action, list, pageQuery, rehearsalQuery } from './operation.ts';

/** The way out for all policies at once. */
export const leaveOperations = {
  listLeavingPolicies: list({
    id: 'listLeavingPolicies',
    path: '/leaving-policies',
    tag: 'Policies',
    summary: 'What each policy would be left to by a release of all, or has been left to, by name.',
    query: pageQuery.extend({ to: leaveTarget }),
    answer: leavingPolicySchema,
  }),
  releaseAll: action({
    id: 'releaseAll',
    path: '/release-all',
    tag: 'Policies',
    summary:
      'Takes all policies out of force, leaves their targets to plain HPAs or as they are, and ends all interventions.',
    role: 'admin',
    query: rehearsalQuery,
    body: leaveRequestSchema,
    answer: orPreview(leaveReportSchema),
  }),
} as const;
