import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The binaries that envtest's convention expects in the folder that `KUBEBUILDER_ASSETS` names. */
const ENVTEST_BINARIES = ['etcd', 'kube-apiserver', 'kubectl'];

/**
 * Every file a control plane is started from: `{name, path, exists, set, kind}`, with kind `binary` or `yaml`. A binary
 * found in `KUBEBUILDER_ASSETS` wins over the cache.
 */
export function listArtifacts(sets) {
  return sets.flatMap((set) => [
    ...Object.keys(set.binaries).map((name) => describe({ name, set, kind: 'binary' })),
    ...Object.keys(set.yaml).map((name) => describe({ name, set, kind: 'yaml' })),
  ]);
}

function describe({ name, set, kind }) {
  const path = envtestBinary(name) ?? join(set.folder, fileName(name, kind));
  return { name, path, exists: existsSync(path), set, kind };
}

function envtestBinary(name) {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (!assets || !ENVTEST_BINARIES.includes(name)) return undefined;
  const path = join(assets, fileName(name, 'binary'));
  return existsSync(path) ? path : undefined;
}

function fileName(name, kind) {
  return kind === 'binary' && process.platform === 'win32' ? `${name}.exe` : name;
}
