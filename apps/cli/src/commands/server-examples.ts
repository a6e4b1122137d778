/** What a person types, but for the program's name, by the command that it shows. */
const examples: Readonly<Record<string, readonly string[]>> = {
  login: [
    'login --server https://plimsoll.example.com',
    'login --server http://127.0.0.1:8080 --token-file .plimsoll/admin-token --context local',
  ],
  get: [
    'get --state AtMaximum --state Short --sort replicas --reverse',
    'get holds',
    'get revisions --source policies',
    'get decisions --policy shop/checkout --around 8h',
    'get audit-entries --from 12h --namespace shop --kind OperatorAction',
  ],
  why: ['why shop/checkout', 'why shop/checkout --at 8h', 'why shop/checkout --watch'],
  'what-if': ['what-if shop/checkout --max 20'],
  blame: ['blame shop/checkout', 'blame shop/checkout --at 2026-11-22T05:00:00Z'],
  history: ['history shop/checkout --from 12h', 'history shop/checkout --watch'],
  changes: ['changes shop/checkout'],
  suspend: [
    'suspend shop/checkout --direction Down --for 2h --reason "incident 7" --dry-run',
    'suspend --namespace shop --until 2026-11-22T05:00:00Z --reason "the sale"',
  ],
  override: [
    'override shop/checkout --min 8 --for 4h --reason "the sale" --dry-run',
    'override shop/checkout --replicas 3 --reason "incident 7" --confirm DIGEST',
  ],
  'dry-run on': ['dry-run on --namespace shop --for 4h --reason "to see what it would do"'],
  'dry-run off': ['dry-run off 1cb3b46 --reason "it does what it should"'],
  unsuspend: ['unsuspend 1cb3b46 --reason "the incident is over"'],
  approve: [
    'get holds',
    'approve policies 5c00865 --dry-run',
    'approve policies 5c00865 --reason "I looked at it"',
  ],
  reject: ['reject policies 5c00865 --reason "the maximum is a typing error"'],
  rollback: ['get revisions --source policies', 'rollback policies c07c380 --reason "incident 7" --dry-run'],
  resume: [
    'resume source policies --reason "the incident is over"',
    'resume policy shop/checkout --source policies --reason "its team wants it back"',
  ],
  release: [
    'release shop/checkout --source policies --reason "its team scales it" --dry-run',
    'release --all --to hpa --manifests hpas --dry-run',
  ],
  sync: ['sync policies'],
  'token create': [
    `token create pipeline --role viewer --namespace '*' --expires 90d --reason "weekly reports"`,
    'token create night --role operator --namespace shop --expires 12h --reason "on call" --token-file token',
  ],
  'token revoke': ['token revoke 5c00865 --reason "it was in a log"'],
};

/** The examples in the help of a command; empty: it has none. */
export function examplesOf(path: string): string {
  const lines = (examples[path] ?? []).map((example) => `  plimsoll ${example}\n`);
  return lines.length === 0 ? '' : `\nExamples:\n${lines.join('')}`;
}
