import { expect, it } from '@jest/globals';
import { settingOfPath } from './setting-of-path.ts';

const configuration = {
  cluster: { name: '/data', kubeconfig: '/etc/kubeconfig' },
  dataFolder: '/data/',
  listen: { tls: { certFile: 'tls/cert.pem', keyFile: 'tls/key.pem' } },
  sources: [{ name: 'policies', credentials: { tokenFile: '/data/git/token' } }],
  auth: { tokenFile: undefined, tokens: [] },
  checkpoints: { outputFile: '/data.out/notes' },
};

it.each([
  ['/data', 'dataFolder'],
  ['/data/git/policies.git', 'dataFolder'],
  ['/etc/kubeconfig', 'cluster.kubeconfig'],
  ['./tls/key.pem', 'listen.tls.keyFile'],
  ['/data/git/token', 'sources.0.credentials.tokenFile'],
  ['/data/git/token.pid', 'sources.0.credentials.tokenFile'],
  ['/data.out/notes', 'checkpoints.outputFile'],
  ['/data2', undefined],
  ['/etc', undefined],
])('knows which setting %s comes of: %s', (path, want) => {
  expect(settingOfPath(configuration, path)).toBe(want);
});
