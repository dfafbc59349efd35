import type { ConsentChannel } from '../../../shared/consent.ts'
import {
  type BoxCount,
  type BoxPlace,
  boxChannels,
  boxCountDays,
  boxPlaces,
  type SignedForms,
  wordingId,
} from '../../../shared/consent-box.ts'
import { readStore } from '../../access/stores/store.ts'
import { requireFound } from '../../core/common/errors.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './box-counts-sql.ts'
import { readBoxes } from './boxes.ts'

// Counts how many shoppers saw a consent box and how many ticked it. Only counts are kept. So that a cart counts once,
// a keyed hash of its token is kept for two days.

const DAY_MS = 86_400_000
const VIEWS_KEPT_MS = 2 * DAY_MS
const COUNTS_KEPT_MS = 400 * DAY_MS

/** A box in one form of one cart. */
export interface BoxView {
  /** The cart, or the saved form. */
  of: string
  place: BoxPlace
  channel: ConsentChannel
  /** Id of the text beside the box. */
  id: string
  /** null: the shopper left the box alone. */
  isTicked: boolean | null
  /**
   * Reported by the plugin. Anybody can forge posts of the script, so they count only for the store's current texts.
   */
  isSigned: boolean
}

export const listFormViews = (of: string, forms: SignedForms): BoxView[] =>
  boxPlaces.flatMap((place) =>
    boxChannels.flatMap((channel) => {
      const box = forms[place]?.[channel]
      return box ? [{ of, place, channel, id: box.id, isTicked: box.isTicked ?? null, isSigned: true }] : []
    }),
  )

/** Idempotent within two days. Never throws: a failed count must not block the recording of a consent. */
export async function countBoxViews(deps: Deps, store: StoreDb<Db>, views: readonly BoxView[]): Promise<void> {
  if (views.length === 0) return
  await saveViews(deps, store, views).catch((error) =>
    deps.log.warn({ storeId: store.storeId, err: error }, 'consent.boxes-not-counted'),
  )
}

async function saveViews(deps: Deps, store: StoreDb<Db>, views: readonly BoxView[]): Promise<void> {
  const current = await readCurrentIds(store)
  const rows = new Map<string, sql.ViewRow>()
  for (const { of, place, channel, id, isTicked, isSigned } of views) {
    const isCurrent = current.get(channel)!.has(id)
    if (!isCurrent && !isSigned) continue
    const view = deps.secrets.token('box-view', `${store.storeId} ${of}`)
    const key = `${view} ${place} ${channel}`
    const ticked = isTicked ?? rows.get(key)?.ticked ?? null
    rows.set(key, { view, place, channel, wording: isCurrent ? id : '', ticked })
  }
  if (rows.size > 0) await sql.insertViews(store, [...rows.values()], deps.now())
}

/** Language of each current text, by text id. */
async function readCurrentIds(store: StoreDb): Promise<Map<ConsentChannel, Map<string, BoxCount['language']>>> {
  const { boxes } = await readBoxes(store)
  return new Map(
    boxes.map(({ channel, words, languages }) => [
      channel,
      new Map([
        ...languages.map((each) => [wordingId(each.words), each.language] as const),
        [wordingId(words), '' as const] as const,
      ]),
    ]),
  )
}

export async function readBoxCounts(deps: Deps, store: StoreDb) {
  const row = requireFound(await readStore(store), 'Store')
  const current = await readCurrentIds(store)
  const ids = [...current.values()].flatMap((each) => [...each.keys()])
  const from = new Date(deps.now().getTime() - (boxCountDays - 1) * DAY_MS)
  const counts = await sql.selectCounts(store, { from, current: ids })
  return {
    mode: row.before_consent,
    counts: counts.map(({ wording, channel, ...count }) => ({
      ...{ channel, language: wording === null ? null : (current.get(channel)!.get(wording) ?? null) },
      ...count,
    })),
  }
}

/** Tick. */
export async function deleteOldBoxCounts(deps: Deps): Promise<void> {
  const ago = (ms: number) => new Date(deps.now().getTime() - ms)
  await sql.deleteOldCounts(deps.db, { views: ago(VIEWS_KEPT_MS), counts: ago(COUNTS_KEPT_MS) })
}
