import crypto from 'node:crypto'
import fs from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { AppError } from '../errors.ts'

// The bundled script of the shops' pages, read when it is first asked for and again when it was built anew.

const FILE = fileURLToPath(new URL('../../dist/storefront/capture.js', import.meta.url))

export interface CaptureScript {
  text: string
  etag: string
}

/** `setup` is put in front, so that the script knows its store even where an optimiser merged it into another file. */
export function openCaptureScript(file = FILE) {
  let kept = { text: '', modifiedMs: -1 }
  return async (setup: { key: string; origin: string } | null): Promise<CaptureScript> => {
    const stat = await fs.stat(file).catch(() => null)
    if (!stat) throw new AppError('unavailable', 'The capture script has not been built.')
    if (stat.mtimeMs !== kept.modifiedMs) kept = { text: await fs.readFile(file, 'utf8'), modifiedMs: stat.mtimeMs }
    const text = setup ? `window.recoupSetup=${JSON.stringify(setup)};${kept.text}` : kept.text
    return { text, etag: `"${crypto.createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
  }
}
