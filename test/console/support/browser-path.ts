import { existsSync } from 'node:fs';

const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Debian's Chromium, or the browser that CHROMIUM names; undefined: none is installed. */
export const browserPath = [process.env['CHROMIUM'], ...paths].find(
  (path) => path !== undefined && existsSync(path),
);
