import type { Role } from '../../auth/callers/principal.ts';
import { enumOf } from './enum-of.ts';

export const RoleName = enumOf<Role>(
  'Role',
  'What a caller may do, in the namespaces of its grant. Each role includes those before it: viewer, operator, approver, admin.',
  {
    viewer: 'Reads everything, has reports made, and makes tokens of its own.',
    operator: 'Syncs, rolls back, suspends, overrides and starts dry runs.',
    approver: 'Approves, rejects, releases and resumes.',
    admin:
      'Forces what guardrails forbid, sees and revokes everyone’s tokens, and releases all policies at once.',
  },
);
