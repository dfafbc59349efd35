import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

// Fonts for tests, independent of the machine: the widest common family (DejaVu), so what fits here fits elsewhere.

const FONTS = new URL('../node_modules/dejavu-fonts-ttf/ttf', import.meta.url).pathname

/**
 * Environment in which Chromium on Linux finds only these fonts (its own fontconfig file and cache). Unchanged
 * elsewhere.
 */
export function buildFontEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const fontEnv = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  if (process.platform !== 'linux') return fontEnv
  const folder = path.join(os.tmpdir(), `recoup-test-fonts-${process.getuid?.() ?? 0}`)
  fs.mkdirSync(folder, { recursive: true })
  const file = path.join(folder, 'fonts.conf')
  // Written under a temporary name and renamed: two workers may start browsers at once.
  const draft = `${file}.${process.pid}`
  fs.writeFileSync(draft, configuration(folder))
  fs.renameSync(draft, file)
  return { ...fontEnv, FONTCONFIG_FILE: file }
}

function configuration(cache: string): string {
  const family = (generic: string, name: string) =>
    `<alias><family>${generic}</family><prefer><family>${name}</family></prefer></alias>`
  return [
    '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>',
    `<dir>${FONTS}</dir><cachedir>${path.join(cache, 'cache')}</cachedir>`,
    family('sans-serif', 'DejaVu Sans') + family('serif', 'DejaVu Serif') + family('monospace', 'DejaVu Sans Mono'),
    '</fontconfig>',
  ].join('\n')
}
