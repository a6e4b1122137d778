import { writeFileSync } from 'node:fs';
import type { CertificateFiles } from './credentials.ts';

/** Who connects where, by file. */
export interface KubeconfigContent {
  readonly server: string;
  readonly authority: string;
  readonly client: CertificateFiles;
}

/** Writes a kubeconfig (as JSON, which is YAML) and returns its path. */
export function writeKubeconfig(path: string, { server, authority, client }: KubeconfigContent): string {
  const name = 'plimsoll-test';
  const user = { 'client-certificate': client.certificate, 'client-key': client.privateKey };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority': authority } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  writeFileSync(path, JSON.stringify(config, undefined, 2), { mode: 0o600 });
  return path;
}
