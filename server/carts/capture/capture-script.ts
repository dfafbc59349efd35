import crypto from 'node:crypto'
import fs from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { CaptureMode } from '../../../shared/shoppers/capture-mode.ts'
import { AppError } from '../../core/common/public.ts'

// Serves the bundled capture script. It is read at first use and after each new build, which also leaves it compressed.
// With a store's key in front it is compressed once and cached.

const FILE = fileURLToPath(new URL('../../../dist/storefront/capture.js', import.meta.url))

/** The same for Shopify themes, whose pages expose the cart differently. */
export const THEME_FILE = fileURLToPath(new URL('../../../dist/storefront/capture-theme.js', import.meta.url))

export type ScriptEncoding = 'br' | 'gzip' | 'identity'

export interface CaptureScript {
  body: Buffer
  etag: string
}

/** Limit of stores whose compressed script is cached. */
const MAX_CACHED = 500

export interface ScriptSetup {
  key: string
  origin: string
  /** What may be kept before consent; missing: cart and contact. */
  mode?: CaptureMode
}

/** Puts `setup` in front, so that the script knows its store even if an optimizer merges it into another file. */
export function openCaptureScript(file = FILE) {
  let built = { text: '', modifiedMs: -1 }
  const cache = new LRUCache<string, Promise<CaptureScript>>({ max: MAX_CACHED })
  return async (setup: ScriptSetup | null, encoding: ScriptEncoding = 'identity'): Promise<CaptureScript> => {
    const stat = await fs.stat(file).catch(() => null)
    if (!stat) throw new AppError('unavailable', 'The capture script has not been built.')
    if (stat.mtimeMs !== built.modifiedMs) {
      built = { text: await fs.readFile(file, 'utf8'), modifiedMs: stat.mtimeMs }
      cache.clear()
    }
    const name = `${encoding} ${setup ? JSON.stringify(setup) : ''}`
    const known = cache.get(name)
    if (known) return known
    const script = buildScript(file, built.text, { setup, encoding })
    cache.set(name, script)
    script.catch(() => cache.delete(name))
    return script
  }
}

const SUFFIX = { br: '.br', gzip: '.gz' } as const

async function buildScript(
  file: string,
  script: string,
  { setup, encoding }: { setup: ScriptSetup | null; encoding: ScriptEncoding },
): Promise<CaptureScript> {
  const text = setup ? `window.recoupSetup=${JSON.stringify(setup)};${script}` : script
  // Caches need a different tag for each encoding.
  const etag = `"${crypto.hash('sha256', `${encoding} ${text}`, 'base64url').slice(0, 22)}"`
  if (encoding === 'identity') return { body: Buffer.from(text), etag }
  const ready = setup ? null : await fs.readFile(file + SUFFIX[encoding]).catch(() => null)
  return { body: ready ?? (await compress(Buffer.from(text), encoding)), etag }
}

/** Almost the smallest result in a twentieth of the time. Anybody can request a key that is not cached. */
const BROTLI_QUALITY = 5

const compress = (text: Buffer, encoding: 'br' | 'gzip'): Promise<Buffer> =>
  encoding === 'gzip'
    ? promisify(gzip)(text, { level: 9 })
    : promisify(brotliCompress)(text, {
        params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
      })
