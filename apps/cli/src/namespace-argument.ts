import { UnusableError } from './unusable-error.ts';

const nameForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const patternForm = /^[a-z0-9*](?:[a-z0-9*-]{0,61}[a-z0-9*])?$/;

/** Whether `*` may stand for any text in what is given. */
export type NamespaceForm = 'Name' | 'Pattern';

/** Refuses what `--namespace` cannot be, in the same words in all commands. @throws UnusableError */
export function requireNamespaces(given: readonly string[] | undefined, form: NamespaceForm): void {
  const wrong = given?.find((text) => !(form === 'Name' ? nameForm : patternForm).test(text));
  if (wrong === undefined) return;
  const meant = (wrong.split('/')[0] ?? '').toLowerCase().replaceAll('_', '-');
  const such = nameForm.test(meant) ? `, such as ${meant}` : '';
  const pattern = form === 'Name' ? '' : ", or a pattern such as 'shop-*'";
  throw new UnusableError(
    `--namespace is ${JSON.stringify(wrong)}; it wants the name of a namespace${such}${pattern}: 1 to 63 lower-case letters, digits and -`,
  );
}
