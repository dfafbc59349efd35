import { hash } from 'node:crypto'
import fs from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import yauzl from 'yauzl'
import yazl from 'yazl'
import { DEFAULT_PLATFORM } from '../../../shared/platforms/platforms.ts'
import { findPluginProtocol } from '../../platforms/registry/public.ts'
import { getSignatureFile, readSignatures, type SignedZip } from './signed-zip.ts'

// Serves the plugin's zip: the built one plus a file with this server's address. It is deterministic, so the digest
// sent to a plugin matches its download.

const { file: FILE } = findPluginProtocol(DEFAULT_PLATFORM)
const BUILT = fileURLToPath(new URL(`../../../dist/plugin/${FILE}`, import.meta.url))
const FOLDER = FILE.replace('.zip', '')
const MAX_BYTES = 10_000_000

export interface ServedZip {
  content: Buffer
  sha256: string
  /** From the plugin's header and readme. */
  version: string
  requiresPhp: string
  requiresWordpress: string
  tested: string
  /** As built: the same bytes on every server, which a publisher can sign. */
  built: Buffer
  signed: SignedZip | null
}

let cached: { name: string; zip: Promise<ServedZip> } | null = null

/** null: not built. */
export async function servedZip(publicUrl: string, file = BUILT): Promise<ServedZip | null> {
  const stat = await fs.stat(file).catch(() => null)
  if (!stat || stat.size > MAX_BYTES) return null
  const name = `${file} ${stat.mtimeMs} ${publicUrl}`
  if (cached?.name !== name) cached = { name, zip: makeZip(file, publicUrl) }
  const { zip } = cached
  return zip.catch((error) => {
    cached = null
    throw error
  })
}

/** null: the plugin is up to date. */
export async function offeredUpdate(publicUrl: string, version: string, file = BUILT) {
  const zip = await servedZip(publicUrl, file)
  if (!zip || !isNewer(zip.version, version)) return null
  const { sha256, requiresPhp, requiresWordpress, tested, signed } = zip
  const signatures = signed ? { signed: { sha256: signed.sha256, signatures: signed.signatures } } : {}
  return { version: zip.version, sha256, requiresPhp, requiresWordpress, tested, ...signatures }
}

/** Compares dotted numbers; other parts count as 0. */
export function isNewer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0)) as [
    number[],
    number[],
  ]
  const place = [...Array(Math.max(a.length, b.length)).keys()].find((index) => (a[index] ?? 0) !== (b[index] ?? 0))
  return place !== undefined && (a[place] ?? 0) > (b[place] ?? 0)
}

async function makeZip(file: string, publicUrl: string): Promise<ServedZip> {
  const files = await readZip(file)
  const zip = new yazl.ZipFile()
  const options = { mtime: new Date(2020, 0, 1), mode: 0o100644, compress: false, forceDosTimestamp: true }
  for (const { name, content } of files) {
    zip.addBuffer(name === `${FOLDER}/${FOLDER}.php` ? withAddresses(content, publicUrl) : content, name, options)
  }
  zip.addBuffer(Buffer.from(configFile(publicUrl)), `${FOLDER}/config.php`, options)
  zip.end()
  const content = await buffer(zip.outputStream as NodeJS.ReadableStream)
  const readText = (name: string) =>
    files.find((each) => each.name === `${FOLDER}/${name}`)?.content.toString('utf8') ?? ''
  const header = parseHeaders(readText(`${FOLDER}.php`))
  const built = await fs.readFile(file)
  return {
    content,
    sha256: hash('sha256', content),
    version: header('Version') ?? '0',
    requiresPhp: header('Requires PHP') ?? '7.4',
    requiresWordpress: header('Requires at least') ?? '6.2',
    tested: parseHeaders(readText('readme.txt'))('Tested up to') ?? '',
    built,
    signed: await readSignatures(getSignatureFile(file), built),
  }
}

/** Adds links to this server, which has the plugin's page. A signed zip has none. */
function withAddresses(content: Buffer, publicUrl: string): Buffer {
  const origin = new URL(publicUrl).origin
  return Buffer.from(
    content
      .toString('utf8')
      .replace(
        /^ \* Author: .*$/m,
        (author) => `${author}\n * Author URI: ${origin}/\n * Plugin URI: ${origin}/landing`,
      ),
  )
}

const configFile = (publicUrl: string) =>
  `<?php\n\ndefine('RECOUP_URL', '${publicUrl.replace(/[\\']/g, (char) => `\\${char}`)}');\n`

/** Fields of WordPress' header comment: ` * Version: 1.0.0`. */
function parseHeaders(text: string) {
  const lines = text.slice(0, 8_192).split('\n')
  return (name: string): string | null => {
    const line = lines.map((each) => each.replace(/^[ *]+/, '')).find((each) => each.startsWith(`${name}:`))
    return line
      ? line
          .slice(name.length + 1)
          .trim()
          .slice(0, 40)
      : null
  }
}

async function readZip(file: string): Promise<{ name: string; content: Buffer }[]> {
  const zip = await promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)(file, { lazyEntries: true })
  const files: { name: string; content: Buffer }[] = []
  return new Promise((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', () => resolve(files))
    zip.on('entry', (entry: yauzl.Entry) => {
      zip.openReadStream(entry, (error, stream) => {
        if (error) return reject(error)
        buffer(stream).then((content) => {
          files.push({ name: entry.fileName, content })
          zip.readEntry()
        }, reject)
      })
    })
    zip.readEntry()
  })
}
