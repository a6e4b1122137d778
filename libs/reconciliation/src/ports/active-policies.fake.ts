import type { ActivePolicy } from '../policies/active-policy.ts';
import type { ActivePoliciesPort } from './active-policies.port.ts';

/** The policies that a test put in force. */
export class FakeActivePolicies implements ActivePoliciesPort {
  policies: readonly ActivePolicy[] = [];

  listActivePolicies(): readonly ActivePolicy[] {
    return this.policies;
  }
}
