import type { ConsentChannel } from '../../../shared/shoppers/consent.ts'
import {
  boxChannels,
  boxHtml,
  type ConsentBox,
  computeWordingId,
  getDefaultBoxText,
  getReadyBoxText,
  normalizeText,
} from '../../../shared/shoppers/consent-box.ts'
import { readyLanguages } from '../../../shared/shoppers/consent-box-copy.ts'
import type { Session } from '../../access/members/public.ts'
import { queueWake } from '../../access/plugin/public.ts'
import { readStore } from '../../access/stores/public.ts'
import { requireFound } from '../../core/common/public.ts'
import type { StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './box-sql.ts'

// The consent boxes of a shop. Anybody can forge a tick, so it counts only for the store's current texts. The ledger
// gets the store's text, not the posted one (C5).

export async function readBoxes(store: StoreDb) {
  const row = requireFound(await readStore(store), 'Store')
  const [rows, languages] = await Promise.all([sql.selectBoxes(store), sql.selectLanguages(store)])
  return {
    boxes: boxChannels.map((channel) =>
      presentBox(
        rows.find((each) => each.channel === channel)!,
        row.name,
        languages.filter((each) => each.channel === channel),
      ),
    ),
    checkoutSeenAt: row.checkout_seen_at?.toISOString() ?? null,
  }
}

export async function saveBoxText(
  deps: Pick<Deps, 'jobs' | 'log' | 'now'>,
  session: Session,
  store: StoreDb,
  { channel, language = '', words }: { channel: ConsentChannel; language?: string | undefined; words: string },
) {
  const plain = normalizeText(words)
  // Without a row, German pages would show the default text again.
  const isSwitchedOff = plain === '' && language === 'de' && (await hasGermanDefault(store, channel))
  if (plain === '' && !isSwitchedOff) await sql.deleteText(store, { channel, language })
  else await sql.saveText(store, { channel, language, words: plain, by: session.userId, now: deps.now() })
  await queueWake(deps, store, 'settings')
  deps.log.info({ storeId: store.storeId, channel, language }, 'consent.box-words-saved')
  const { boxes } = await readBoxes(store)
  return { box: boxes.find((box) => box.channel === channel)! }
}

/** Whether the German default is shown or was removed before: removing it twice does not restore it. */
async function hasGermanDefault(store: StoreDb, channel: ConsentChannel): Promise<boolean> {
  const isGerman = (each: { channel: string; language: string }) => each.channel === channel && each.language === 'de'
  if ((await sql.selectLanguages(store)).find(isGerman)?.words === '') return true
  const { boxes } = await readBoxes(store)
  const german = boxes.find((box) => box.channel === channel)!.languages.find(({ language }) => language === 'de')
  return german?.isDefault ?? false
}

/** Current texts of each box, in all languages. */
export async function readCurrentTexts(store: StoreDb): Promise<Record<ConsentChannel, string[]>> {
  const { boxes } = await readBoxes(store)
  const readBoxTexts = (channel: ConsentChannel) => {
    const { words, languages } = boxes.find((box) => box.channel === channel)!
    return [words, ...languages.map((each) => each.words)]
  }
  return { email: readBoxTexts('email'), sms: readBoxTexts('sms'), whatsapp: readBoxTexts('whatsapp') }
}

/** The text that a page showed: its id and its words must both match. */
export function findDisplayedWording(
  texts: readonly string[],
  answer: { wording: string; id?: string | undefined },
): string | null {
  const shows = (text: string) =>
    answer.id === computeWordingId(text) && normalizeText(answer.wording).includes(normalizeText(text))
  return texts.find(shows) ?? null
}

function presentBox(
  { channel, words, wording_id, seen_at }: sql.BoxRow,
  storeName: string,
  rows: readonly sql.LanguageRow[],
): ConsentBox {
  const displayed = words ?? getDefaultBoxText(channel, storeName)
  // A custom text has no German translation.
  const isReady = words === null && !rows.some(({ language }) => language === 'de')
  const ready = isReady ? [{ language: 'de', words: getReadyBoxText(channel, storeName, 'de'), isDefault: true }] : []
  // An empty text: the owner switched off the default.
  const own = rows.filter((each) => each.words !== '')
  const languages = [...ready, ...own.map((each) => ({ ...each, isDefault: false }))].map((each) => ({
    language: each.language as ConsentBox['languages'][number]['language'],
    words: each.words,
    isDefault: each.isDefault,
    html: boxHtml(channel, each.words),
  }))
  return {
    channel,
    words: displayed,
    isDefault: words === null,
    html: boxHtml(channel, displayed),
    seenAt: seen_at?.toISOString() ?? null,
    isCurrent: [displayed, ...languages.map((each) => each.words)].some(
      (each) => wording_id === computeWordingId(each),
    ),
    languages,
    drafts: listDrafts(channel, storeName, [...rows, ...ready]),
  }
}

/** The main text is English, or the owner's own. A language that the owner removed has no draft. */
const listDrafts = (channel: ConsentChannel, storeName: string, taken: readonly { language: string }[]) =>
  readyLanguages
    .filter((language) => language !== 'en' && !taken.some((each) => each.language === language))
    .map((language) => ({ language, words: getReadyBoxText(channel, storeName, language) }))
