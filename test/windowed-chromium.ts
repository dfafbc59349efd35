import fs from 'node:fs'

const OTHERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]

/** A Chromium that shows notifications: headless shell, which other tests use if present, shows none. */
export const windowedChromium = [process.env.CHROMIUM_PATH, ...OTHERS].find(
  (file) => file && !file.includes('headless-shell') && fs.existsSync(file),
)
