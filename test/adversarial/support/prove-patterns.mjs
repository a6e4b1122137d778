// Reads {patterns: [{source, flags}], timeout} from standard input, and prints how each pattern's time grows with its text:
// one JSON value per pattern. A process of its own, since the prover is many times slower within Jest's modules.
import { text } from 'node:stream/consumers';

// The other back ends start a process.
process.env['RECHECK_SYNC_BACKEND'] = 'pure';
const { checkSync } = await import('recheck');

const { patterns, timeout } = JSON.parse(await text(process.stdin));
for (const { source, flags } of patterns) {
  const { status, complexity, attack } = checkSync(source, flags, { timeout });
  const why = status === 'vulnerable' ? { why: `${complexity.summary}: ${attack.pattern}` } : {};
  process.stdout.write(`${JSON.stringify({ status, ...why })}\n`);
}
