/** Files of a commit; null takes one away. */
type Files = Readonly<Record<string, string | null>>;

/** A commit by a tenant that wishes the others ill. */
export interface HostileCommit {
  readonly subject: string;
  readonly files: () => Files;
}

const folder = 'teams/stranger';

/** Commits that must stop no other tenant; each stays in the stranger's folder. */
export const hostileFiles: readonly HostileCommit[] = [
  inFile('no YAML', 'broken.yaml', () => 'kind: [unclosed\n\t- {'),
  inFile(
    'a bomb of aliases',
    'aliases.yaml',
    () =>
      `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((letter, index, all) => `${letter}: &${letter} [${`*${all[index - 1] ?? 'a'},`.repeat(9)}]`).join('\n')}\nkind: AutoscalingPolicy\n`,
  ),
  inFile(
    'one long quoted scalar',
    'scalar.yaml',
    () => `kind: AutoscalingPolicy\nnote: "${'a \n '.repeat(65_536)}"\n`,
  ),
  inFile('a pattern that backtracks', 'pattern.yaml', () =>
    guardrail(`'${'a'.repeat(200)}'.matches('${'a{0,50}'.repeat(8)}b')`),
  ),
  inFile('macros within macros', 'macros.yaml', () => {
    const list = `[${Array.from({ length: 200 }, (_, index) => index).join(',')}]`;
    return guardrail(`${list}.all(a, ${list}.all(b, ${list}.all(c, ${list}.all(d, a + b + c + d >= 0))))`);
  }),
  inFile(
    'deep nesting',
    'deep.yaml',
    () => `kind: AutoscalingPolicy\nspec: ${'{a: '.repeat(5_000)}1${'}'.repeat(5_000)}\n`,
  ),
  inFile('another tenant’s target', 'thief.yaml', () => policy('thief', 'steady-labels', 1)),
  {
    subject: 'a chain of kustomizations',
    files: () =>
      Object.fromEntries(
        Array.from({ length: 400 }, (_, index) => [
          `${folder}/chain/${index}/kustomization.yaml`,
          `resources: [../${index + 1}]\n`,
        ]),
      ),
  },
  {
    subject: 'many small files',
    files: () =>
      Object.fromEntries(
        Array.from({ length: 500 }, (_, index) => [
          `${folder}/many/${index}.yaml`,
          policy(`many-${index}`, `many-${index}`, 3),
        ]),
      ),
  },
];

/** The same paths, each with this content. */
export function strangerFiles(files: Files, content: string | null): Files {
  return Object.fromEntries(Object.keys(files).map((path) => [path, content]));
}

function inFile(subject: string, name: string, text: () => string): HostileCommit {
  return { subject, files: () => ({ [`${folder}/${name}`]: text() }) };
}

function guardrail(expression: string): string {
  return `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyGuardrail
metadata: {name: slow, namespace: shop}
spec:
  rules:
    - {expression: ${JSON.stringify(expression)}, message: never, severity: deny}
---
${policy('judged', 'judged', 3)}`;
}

function policy(name: string, target: string, maxReplicas: number): string {
  return `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: ${name}, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${target}}
  minReplicas: 1
  maxReplicas: ${maxReplicas}
`;
}
