// A test that starts a control plane, says where, and never stops it.
import { dirname } from 'node:path';
import { startControlPlane } from './control-plane.ts';

const { server, kubeconfigPath } = await startControlPlane();
process.stdout.write(`${JSON.stringify({ server, stateFolder: dirname(kubeconfigPath) })}\n`);
setInterval(() => undefined, 60_000);
