// `npm start`: builds what is missing, then runs the controller with the arguments given. npm has put the pinned runtime
// first on the path.
import { build } from './build.js';

await build();
const { main } = await import('../dist/apps/controller/src/main.js');
await main(process.argv.slice(2));
