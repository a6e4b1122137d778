import type { ApiClient } from '../api-client.ts';
import type { ArtifactName } from '../binaries.ts';
import type { CertificateRequest } from '../pki/certificate-authority.ts';
import type { Credentials } from '../pki/credentials.ts';
import type { RunFolder } from '../run-folder.ts';

/** The programs a control plane is made of; the file names of their binaries. */
export type ComponentName = Exclude<ArtifactName, 'kubectl' | 'kwok-stages.yaml'>;

/** What the components of one run share. */
export interface ComponentContext {
  readonly folder: RunFolder;
  readonly credentials: Credentials;
  /** A port for each component, and one for etcd's peers (which it has none of, but listens for). */
  readonly ports: Readonly<Record<ComponentName | 'etcd-peer', number>>;
  readonly artifact: (name: ArtifactName) => string;
  /** The kube-apiserver's URL. */
  readonly server: string;
  /** The kube-apiserver, as administrator. */
  readonly api: ApiClient;
  /** Writes a kubeconfig for a user of its own and returns its path. */
  readonly kubeconfigFor: (user: CertificateRequest) => string;
}

/** How one program is started, and how one sees that it works. */
export interface Component {
  readonly name: ComponentName;
  readonly arguments: (context: ComponentContext) => readonly string[];
  /** Creates the objects that the program expects in the cluster, before it starts. */
  readonly prepare?: (context: ComponentContext) => Promise<void>;
  /** True once it serves; a failure counts as not yet. */
  readonly isReady: (context: ComponentContext) => Promise<boolean>;
}
