import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import yazl from 'yazl'
import { compileCatalogue, writeTemplate } from './plugin-languages.ts'

// The WordPress plugin as a zip (decision 102): the same bytes from the same source, on every machine. So nothing is
// compressed (zlib's output differs between processors), files come in one order, and all bear one time.

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
export const PLUGIN = 'recoup-for-woocommerce'
const SOURCE = here(`../plugin/${PLUGIN}`)

/** German without "du" and "Sie" serves all of these. */
const GERMAN = ['de_DE', 'de_DE_formal', 'de_AT', 'de_CH', 'de_CH_informal']

interface PluginFile {
  /** Below the plugin's folder, with slashes. */
  name: string
  content: Buffer
}

export async function pluginFiles(): Promise<PluginFile[]> {
  const names = (await readdir(SOURCE, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(SOURCE, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
  const files = await Promise.all(
    names.map(async (name) => ({ name, content: await readFile(path.join(SOURCE, name)) })),
  )
  const german = files.find(({ name }) => name === `languages/${PLUGIN}-de_DE.po`)
  const compiled = german ? compileCatalogue(german.content.toString('utf8')) : null
  const translated = compiled
    ? GERMAN.map((locale) => ({ name: `languages/${PLUGIN}-${locale}.mo`, content: compiled }))
    : []
  const scripts = files
    .filter(({ name }) => name.endsWith('.php'))
    .map(({ name, content }) => ({ name, content: content.toString('utf8') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const version = scripts.map(({ content }) => /^ \* Version: (\S+)$/m.exec(content)?.[1]).find(Boolean) ?? ''
  const template = { name: `languages/${PLUGIN}.pot`, content: Buffer.from(writeTemplate(scripts, version)) }
  return [...files, ...translated, template].sort((a, b) => (a.name < b.name ? -1 : 1))
}

export async function buildPlugin(outDir = here('../dist/plugin')): Promise<string> {
  const zip = new yazl.ZipFile()
  const mtime = new Date(2020, 0, 1)
  for (const { name, content } of await pluginFiles()) {
    zip.addBuffer(content, `${PLUGIN}/${name}`, { mtime, mode: 0o100644, compress: false, forceDosTimestamp: true })
  }
  zip.end()
  await mkdir(outDir, { recursive: true })
  const file = path.join(outDir, `${PLUGIN}.zip`)
  await pipeline(zip.outputStream, createWriteStream(file))
  return file
}

if (import.meta.main) await buildPlugin()
