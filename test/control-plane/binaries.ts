import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What `build.mjs` produces; names are those of the files. */
export type ArtifactName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kubectl'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kwok'
  | 'kwok-stages.yaml'
  | 'metrics-server';

const buildProgram = fileURLToPath(new URL('./build.mjs', import.meta.url));

/**
 * Finds what a control plane is started from, in `KUBEBUILDER_ASSETS` or the cache; builds nothing.
 *
 * @returns a function from name to path, which throws where that one is not built yet.
 */
export function locateArtifacts(): (name: ArtifactName) => string {
  const output = execFileSync(process.execPath, [buildProgram, '--locate'], { encoding: 'utf8' });
  const paths = JSON.parse(output) as Readonly<Record<ArtifactName, string | null>>;
  return (name) => {
    const path = paths[name];
    if (path === null) throw new Error(`${name} is not built: run "node test/control-plane/build.mjs"`);
    return path;
  };
}
