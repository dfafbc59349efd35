import { hash } from 'node:crypto'
import { boxChannels, type ConsentBox, computeWordingId } from '../../../shared/shoppers/consent-box.ts'
import { readStore } from '../../access/stores/public.ts'
import type { Db } from '../../core/db/public.ts'
import { findCurrentKey } from '../../delivery/push/public.ts'
import type { Deps } from '../../deps.ts'
import { readBoxes } from '../../shoppers/consent/public.ts'

// Settings that the plugin caches until they change: texts of the consent boxes, and the place of the push worker.

interface StoreScope {
  storeId: string
  accountId: string
  db: Db
}

export async function readSettings(deps: Pick<Deps, 'channels' | 'config'>, store: StoreScope) {
  const texts = await readBoxes(store)
  const offered = await Promise.all(
    boxChannels.map(
      async (channel) => channel === 'email' || (await deps.channels.text(store.accountId, channel)) !== null,
    ),
  )
  const boxes = boxChannels
    .filter((_, place) => offered[place])
    .map((channel) => toBoxSettings(texts.boxes.find((each) => each.channel === channel)!))
  const row = await readStore(store)
  // Only where it differs from what older plugins did: other settings, and so their version, stay unchanged.
  const before = row?.before_consent ?? 'cart_and_contact'
  const settings = {
    boxes,
    ...(before !== 'cart_and_contact' && { before }),
    push: await loadPushSettings(deps, store),
  }
  return { version: hash('sha256', JSON.stringify(settings), 'base64url').slice(0, 22), ...settings }
}

/** `languages` only if there are any: settings of other stores stay unchanged. */
function toBoxSettings({ channel, words: text, languages }: ConsentBox) {
  const more = languages.map((each) => [each.language, { words: each.words, id: computeWordingId(each.words) }])
  return {
    channel,
    words: text,
    id: computeWordingId(text),
    ...(more.length > 0 && { languages: Object.fromEntries(more) }),
  }
}

export const computeSettingsVersion = async (
  deps: Pick<Deps, 'channels' | 'config'>,
  store: StoreScope,
): Promise<string> => (await readSettings(deps, store)).version

/** Addresses of the push scripts; null if the store has not set up push. */
async function loadPushSettings(deps: Pick<Deps, 'config'>, store: StoreScope) {
  const [row, key] = await Promise.all([readStore(store), findCurrentKey(store)])
  if (!row || !key) return null
  const { publicUrl } = deps.config
  return { worker: `${publicUrl}/push/sw.js`, widget: `${publicUrl}/push/${row.capture_key}.js` }
}
