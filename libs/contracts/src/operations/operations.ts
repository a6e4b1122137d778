import { auditOperations } from './audit-operations.ts';
import { interventionOperations } from './intervention-operations.ts';
import { leaveOperations } from './leave-operations.ts';
import type { Operation } from './operation.ts';
import { policyOperations } from './policy-operations.ts';
import { questionOperations } from './question-operations.ts';
import { replicaOperations } from './replica-operations.ts';
import { reportOperations } from './report-operations.ts';
import { sourceOperations } from './source-operations.ts';

/** Every operation of the REST API, by its id. */
export const operations = {
  ...policyOperations,
  ...sourceOperations,
  ...interventionOperations,
  ...auditOperations,
  ...reportOperations,
  ...leaveOperations,
  ...replicaOperations,
  ...questionOperations,
} as const;

/** Where every path of the API begins. */
export const apiPrefix = '/api/v1';

const paths = Object.values<Operation>(operations).map(({ path, method }) => ({
  method,
  form: new RegExp(`^${apiPrefix}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The methods that a URL's path takes; none: the API has no such path. */
export function allowedMethods(url: string): readonly string[] {
  const [path = ''] = url.split('?');
  const methods = paths.filter(({ form }) => form.test(path)).map(({ method }) => method);
  return [...new Set(methods)].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}
