// Finds Chromium and Firefox, and installs Debian's.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { run } from './prepare.mjs'

/** Path of a Chromium or Chrome; null if none is found or can be installed. */
export async function ensureChromium() {
  // The headless shell needs a third less processor time. Releases before Debian 12 do not have it.
  return findChromium() ?? ((await installFirst(['chromium-headless-shell', 'chromium'])) ? findChromium() : null)
}

export async function ensureFirefox() {
  return findFirefox() ?? ((await installFirst(['firefox-esr'])) ? findFirefox() : null)
}

function findChromium() {
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const places = ['/usr/bin', '/usr/local/bin', ...(process.env.PATH ?? '').split(path.delimiter)]
  const onMac = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
  const found = names.flatMap((name) => places.map((place) => path.join(place, name)))
  return findRunnable([process.env.CHROMIUM_PATH, ...found, ...onMac])
}

const findFirefox = () => findRunnable([process.env.FIREFOX_PATH, '/usr/bin/firefox-esr', '/usr/bin/firefox'])

/** Runs `--version`, because Ubuntu's program of that name may only print how to install it. */
const findRunnable = (files) =>
  files.find((file) => file && fs.existsSync(file) && spawnSync(file, ['--version'], { stdio: 'ignore' }).status === 0)

/** Installs the first available of these Debian packages; false without root or apt. */
async function installFirst(names) {
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
