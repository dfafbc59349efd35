// Where Chromium and Firefox are, and how Debian's are installed.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { run } from './prepare.mjs'

/** The path of a Chromium or Chrome; null where none is found and none can be installed. */
export async function ensureChromium() {
  // Without the part that draws a window: a third less work. Releases before Debian 12 have no such package.
  return findChromium() ?? ((await installs(['chromium-headless-shell', 'chromium'])) ? findChromium() : null)
}

export async function ensureFirefox() {
  return findFirefox() ?? ((await installs(['firefox-esr'])) ? findFirefox() : null)
}

function findChromium() {
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const places = ['/usr/bin', '/usr/local/bin', ...(process.env.PATH ?? '').split(path.delimiter)]
  const onMac = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
  const found = names.flatMap((name) => places.map((place) => path.join(place, name)))
  return firstThatRuns([process.env.CHROMIUM_PATH, ...found, ...onMac])
}

const findFirefox = () => firstThatRuns([process.env.FIREFOX_PATH, '/usr/bin/firefox-esr', '/usr/bin/firefox'])

/** Asked for its version: on Ubuntu the program of that name may only be a note where to get it. */
const firstThatRuns = (files) =>
  files.find((file) => file && fs.existsSync(file) && spawnSync(file, ['--version'], { stdio: 'ignore' }).status === 0)

/** The first of these Debian packages that can be installed; false where only root may, or there is no apt. */
async function installs(names) {
  if (process.getuid?.() !== 0 || !fs.existsSync('/etc/debian_version')) return false
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const stdio = ['ignore', 'ignore', 'inherit']
  await run('apt-get', ['update', '-q'], { env, stdio })
  for (const name of names) {
    console.log(`Installing ${name} (apt-get) …`)
    if ((await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', name], { env, stdio })) === 0)
      return true
  }
  return false
}
