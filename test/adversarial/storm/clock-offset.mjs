// Preloaded into the controller under test (`--import`): shifts its wall clock by the milliseconds in a file, and leaves
// the machine's alone. Monotonic time is untouched, as when an administrator sets a real clock.
import { readFileSync } from 'node:fs';

const file = process.env['TEST_CLOCK_OFFSET_FILE'];
const realNow = Date.now;
let offset = 0;

function read() {
  try {
    offset = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    offset = 0;
  }
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
