// Preloaded into the controller under test (`--import`): shifts its wall clock by the milliseconds in a file, and leaves
// the machine's alone. Monotonic time is untouched, as when an administrator sets a real clock. With TEST_CLOCK_OFFSET_SAID
// a line among those of the log says each change, so that the lines after it are known to be of the clock that is off.
import { readFileSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env['TEST_CLOCK_OFFSET_FILE'];
const realNow = Date.now;
let offset = 0;

function read() {
  const before = offset;
  try {
    offset = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    offset = 0;
  }
  if (offset !== before && isMainThread && process.env['TEST_CLOCK_OFFSET_SAID'] === '1')
    writeSync(1, `${JSON.stringify({ msg: 'clock offset', milliseconds: offset })}\n`);
}

if (file !== undefined) {
  read();
  setInterval(read, 100).unref();
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...values) {
      super(...(values.length === 0 ? [realNow() + offset] : values));
    }

    static now() {
      return realNow() + offset;
    }
  };
}
