import { roles } from '../../auth/principal.ts';
import { enumOf } from './enum-of.ts';

export const RoleName = enumOf('Role', roles, 'What a caller may do; each role includes those before it.');
