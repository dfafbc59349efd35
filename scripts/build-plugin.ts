import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import yazl from 'yazl'
import {
  getSignatureFile,
  isSignedWith,
  readSignatures,
  type SignedZip,
} from '../server/workspace/plugin-calls/signed-zip.ts'
import { compileCatalogue, writeTemplate } from './plugin-languages.ts'

// Builds the WordPress plugin's zip (decision 102): the same bytes from the same source on every machine. Nothing is
// compressed (zlib's output differs between processors), files are sorted, and all have the same time.

const resolvePath = (name: string) => fileURLToPath(new URL(name, import.meta.url))
export const PLUGIN = 'recoup-for-woocommerce'
export const SOURCE = resolvePath(`../plugin/${PLUGIN}`)
/** The publisher's public key in the plugin, and the signatures beside it (sign-plugin.ts). */
export const KEY_FILE = 'signing-key.txt'
export const SIGNATURES = '../signatures.json'

/** Files of editors and file managers that are not in Git: .DS_Store, readme.txt~ */
const EDITOR_FILES = /(?:^|\/)\.|~$/

/**
 * Locales that each catalog serves, because WordPress loads only the exact one. German and Dutch texts address no one, so
 * they are right in formal locales too.
 */
export const CATALOGS: Readonly<Record<string, readonly string[]>> = {
  de_DE: ['de_DE', 'de_DE_formal', 'de_AT', 'de_CH', 'de_CH_informal'],
  fr_FR: ['fr_FR', 'fr_BE', 'fr_CA'],
  es_ES: ['es_ES', 'es_AR', 'es_CL', 'es_CO', 'es_CR', 'es_EC', 'es_GT', 'es_MX', 'es_PE', 'es_UY', 'es_VE'],
  it_IT: ['it_IT'],
  nl_NL: ['nl_NL', 'nl_NL_formal', 'nl_BE'],
  pt_BR: ['pt_BR', 'pt_PT', 'pt_PT_ao90', 'pt_AO'],
  pl_PL: ['pl_PL'],
}

interface PluginFile {
  /** Path in the plugin's folder, with slashes. */
  name: string
  content: Buffer
}

export async function readPluginFiles(source = SOURCE): Promise<PluginFile[]> {
  const names = (await readdir(source, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(source, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .filter((name) => !EDITOR_FILES.test(name))
  const files = await Promise.all(
    names.map(async (name) => ({ name, content: await readFile(path.join(source, name)) })),
  )
  const translated = Object.entries(CATALOGS).flatMap(([catalog, locales]) => {
    const found = files.find(({ name }) => name === `languages/${PLUGIN}-${catalog}.po`)
    if (!found) return []
    const content = compileCatalogue(found.content.toString('utf8'))
    return locales.map((locale) => ({ name: `languages/${PLUGIN}-${locale}.mo`, content }))
  })
  const scripts = files
    .filter(({ name }) => name.endsWith('.php'))
    .map(({ name, content }) => ({ name, content: content.toString('utf8') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const template = { name: `languages/${PLUGIN}.pot`, content: Buffer.from(writeTemplate(scripts, readVersion(files))) }
  return [...files, ...translated, template].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Reads the version from the main file's header. */
export function readVersion(files: PluginFile[]): string {
  const main = files.find(({ name }) => name === `${PLUGIN}.php`)?.content.toString('utf8') ?? ''
  return /^ \* Version: (\S+)$/m.exec(main)?.[1] ?? ''
}

export async function buildPlugin(outDir = resolvePath('../dist/plugin'), source = SOURCE): Promise<string> {
  await mkdir(outDir, { recursive: true })
  const file = path.join(outDir, `${PLUGIN}.zip`)
  const files = await readPluginFiles(source)
  const signed = await findSignatures(files, path.join(source, SIGNATURES))
  // A running server reads both files when the zip changes, so the signatures are written first.
  if (signed) await writeFile(getSignatureFile(file), JSON.stringify(signed))
  else await rm(getSignatureFile(file), { force: true })
  // A shop with the key cannot update to an unsigned build. So a build without signatures has no key.
  await writeFile(file, await buildZip(signed ? files : files.filter(({ name }) => name !== KEY_FILE)))
  return file
}

/**
 * The same source gives the same bytes, so signatures are valid on every Recoup that builds it. Changed source has
 * none.
 */
async function findSignatures(files: PluginFile[], file: string): Promise<SignedZip | null> {
  const key = files.find(({ name }) => name === KEY_FILE)?.content.toString('utf8')
  if (key === undefined) return null
  const signed = await readSignatures(file, await buildZip(files))
  if (signed && signed.version === readVersion(files) && isSignedWith(key, signed)) return signed
  const mismatch = signed ? `has no signature of this version by the key in ${KEY_FILE}` : 'is not about these files'
  console.warn(
    `The plugin is built without its publisher's key, and shops that have the key refuse it: plugin/signatures.json ${existsSync(file) ? mismatch : 'is missing'}.`,
  )
  return null
}

export async function buildZip(files: PluginFile[]): Promise<Buffer> {
  const zip = new yazl.ZipFile()
  const mtime = new Date(2020, 0, 1)
  for (const { name, content } of files) {
    zip.addBuffer(content, `${PLUGIN}/${name}`, { mtime, mode: 0o100644, compress: false, forceDosTimestamp: true })
  }
  zip.end()
  return buffer(zip.outputStream as NodeJS.ReadableStream)
}

if (import.meta.main) await buildPlugin()
