// The capture script on the shop's pages, stored with the data so that it survives a restart.
import type { Capture, Shop } from './shop.ts'
import { readMeta, writeMeta } from './sqlite.ts'

export function readCapture(shop: Shop): Capture | null {
  return JSON.parse(readMeta(shop.db, 'capture') ?? 'null') as Capture | null
}

export function writeCapture(shop: Shop, capture: Capture | null) {
  writeMeta(shop.db, 'capture', JSON.stringify(capture))
}
