import fs from 'node:fs'

const OTHERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]

/** One that shows notifications: the shell without windows, which other tests are run in where it is there, has none. */
export const windowedChromium = [process.env.CHROMIUM_PATH, ...OTHERS].find(
  (file) => file && !file.includes('headless-shell') && fs.existsSync(file),
)
