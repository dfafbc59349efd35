import type { ConsentChannel } from '../../shared/consent.ts'
import {
  boxChannels,
  boxHtml,
  type ConsentBox,
  defaultBoxText,
  plainWords,
  wordingId,
} from '../../shared/consent-box.ts'
import type { StoreDb } from '../core/db.ts'
import { found } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import type { Session } from '../members/session.ts'
import { queueWake } from '../plugin/plugin.ts'
import { readStore } from '../stores/store.ts'
import * as sql from './box-sql.ts'

// The consent boxes of a shop. Anybody can post that a box was ticked, so a tick counts only for the words the store shows now, and
// these words, not the posted ones, go into the ledger (C5).

/** For capture posts that say which boxes a page shows. */
export { noteBoxes } from './box-sql.ts'

export async function readBoxes(store: StoreDb) {
  const row = found(await readStore(store), 'Store')
  const rows = await sql.boxesOf(store)
  return {
    boxes: boxChannels.map((channel) => present(rows.find((each) => each.channel === channel)!, row.name)),
    checkoutSeenAt: row.checkout_seen_at?.toISOString() ?? null,
  }
}

export async function saveBoxText(
  deps: Deps,
  session: Session,
  store: StoreDb,
  { channel, words }: { channel: ConsentChannel; words: string },
) {
  const plain = plainWords(words)
  if (plain === '') await sql.dropWords(store, channel)
  else await sql.saveWords(store, { channel, words: plain, by: session.userId, now: deps.now() })
  await queueWake(deps, store, 'settings')
  deps.log.info({ storeId: store.storeId, channel }, 'consent.box-words-saved')
  const { boxes } = await readBoxes(store)
  return { box: boxes.find((box) => box.channel === channel)! }
}

/** The words of each box as the store shows them now. */
export async function currentText(store: StoreDb): Promise<Record<ConsentChannel, string>> {
  const { boxes } = await readBoxes(store)
  const wordsOf = (channel: ConsentChannel) => boxes.find((box) => box.channel === channel)!.words
  return { email: wordsOf('email'), sms: wordsOf('sms'), whatsapp: wordsOf('whatsapp') }
}

/** Whether a page showed these words: it names them, and they stand beside the box. */
export function showsWords(words: string, said: { wording: string; id?: string | undefined }): boolean {
  return said.id === wordingId(words) && plainWords(said.wording).includes(plainWords(words))
}

function present({ channel, words, wording_id, seen_at }: sql.BoxRow, storeName: string): ConsentBox {
  const shown = words ?? defaultBoxText(channel, storeName)
  return {
    channel,
    words: shown,
    isDefault: words === null,
    html: boxHtml(channel, shown),
    seenAt: seen_at?.toISOString() ?? null,
    isCurrent: wording_id === wordingId(shown),
  }
}
