import crypto from 'node:crypto'
import fs from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { CaptureMode } from '../../../shared/capture-mode.ts'
import { AppError } from '../../core/common/errors.ts'

// The bundled script of the shops' pages, read when it is first asked for and again when it was built anew. The build leaves it
// compressed; with a store's key in front it is compressed once and kept.

const FILE = fileURLToPath(new URL('../../../dist/storefront/capture.js', import.meta.url))

/** The same for the themes of Shopify, whose pages tell their cart in another way. */
export const THEME_FILE = fileURLToPath(new URL('../../../dist/storefront/capture-theme.js', import.meta.url))

export type ScriptEncoding = 'br' | 'gzip' | 'identity'

export interface CaptureScript {
  body: Buffer
  etag: string
}

/** Stores whose script is kept compressed. */
const MOST_KEPT = 500

export interface ScriptSetup {
  key: string
  origin: string
  /** What may be kept before the shopper agreed; a missing one: cart and contact. */
  mode?: CaptureMode
}

/** `setup` is put in front, so that the script knows its store even where an optimiser merged it into another file. */
export function openCaptureScript(file = FILE) {
  let built = { text: '', modifiedMs: -1 }
  const kept = new Map<string, Promise<CaptureScript>>()
  return async (setup: ScriptSetup | null, encoding: ScriptEncoding = 'identity'): Promise<CaptureScript> => {
    const stat = await fs.stat(file).catch(() => null)
    if (!stat) throw new AppError('unavailable', 'The capture script has not been built.')
    if (stat.mtimeMs !== built.modifiedMs) {
      built = { text: await fs.readFile(file, 'utf8'), modifiedMs: stat.mtimeMs }
      kept.clear()
    }
    const name = `${encoding} ${setup ? JSON.stringify(setup) : ''}`
    const known = kept.get(name)
    if (known) return known
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value!)
    const made = make(file, built.text, { setup, encoding })
    kept.set(name, made)
    made.catch(() => kept.delete(name))
    return made
  }
}

const SUFFIX = { br: '.br', gzip: '.gz' } as const

async function make(
  file: string,
  script: string,
  { setup, encoding }: { setup: ScriptSetup | null; encoding: ScriptEncoding },
): Promise<CaptureScript> {
  const text = setup ? `window.recoupSetup=${JSON.stringify(setup)};${script}` : script
  // A cache tells the encodings of a file apart by it.
  const etag = `"${crypto.hash('sha256', `${encoding} ${text}`, 'base64url').slice(0, 22)}"`
  if (encoding === 'identity') return { body: Buffer.from(text), etag }
  const ready = setup ? null : await fs.readFile(file + SUFFIX[encoding]).catch(() => null)
  return { body: ready ?? (await compress(Buffer.from(text), encoding)), etag }
}

/** Nearly as small as the smallest, at a twentieth of its time: anybody may ask for a name that was never compressed. */
const QUICK = 5

const compress = (text: Buffer, encoding: 'br' | 'gzip'): Promise<Buffer> =>
  encoding === 'gzip'
    ? promisify(gzip)(text, { level: 9 })
    : promisify(brotliCompress)(text, {
        params: { [constants.BROTLI_PARAM_QUALITY]: QUICK, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
      })
