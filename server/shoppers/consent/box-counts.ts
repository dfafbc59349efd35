import type { ConsentChannel } from '../../../shared/shoppers/consent.ts'
import {
  type BoxCount,
  type BoxPlace,
  boxChannels,
  boxCountDays,
  boxPlaces,
  computeWordingId,
  type SignedForms,
} from '../../../shared/shoppers/consent-box.ts'
import { readStore } from '../../access/stores/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { readBoxes } from './boxes.ts'

// Counts how many shoppers saw a consent box and how many ticked it. Only counts are kept. So that a cart counts once,
// a keyed hash of its token is kept for two days.

const DAY_MS = 86_400_000
const VIEW_RETENTION_MS = 2 * DAY_MS
const COUNT_RETENTION_MS = 400 * DAY_MS

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
export async function countBoxViews(
  deps: Pick<Deps, 'log' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  views: readonly BoxView[],
): Promise<void> {
  if (views.length === 0) return
  await saveViews(deps, store, views).catch((error) =>
    deps.log.warn({ storeId: store.storeId, err: error }, 'consent.boxes-not-counted'),
  )
}

async function saveViews(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb<Db>,
  views: readonly BoxView[],
): Promise<void> {
  const current = await readCurrentIds(store)
  const rows = new Map<string, ViewRow>()
  for (const { of, place, channel, id, isTicked, isSigned } of views) {
    const isCurrent = current.get(channel)!.has(id)
    if (!isCurrent && !isSigned) continue
    const view = deps.secrets.token('box-view', `${store.storeId} ${of}`)
    const key = `${view} ${place} ${channel}`
    const ticked = isTicked ?? rows.get(key)?.ticked ?? null
    rows.set(key, { view, place, channel, wording: isCurrent ? id : '', ticked })
  }
  if (rows.size > 0) await insertViews(store, [...rows.values()], deps.now())
}

/** Language of each current text, by text id. */
async function readCurrentIds(store: StoreDb): Promise<Map<ConsentChannel, Map<string, BoxCount['language']>>> {
  const { boxes } = await readBoxes(store)
  return new Map(
    boxes.map(({ channel, words, languages }) => [
      channel,
      new Map([
        ...languages.map((each) => [computeWordingId(each.words), each.language] as const),
        [computeWordingId(words), '' as const] as const,
      ]),
    ]),
  )
}

export async function readBoxCounts(deps: Pick<Deps, 'now'>, store: StoreDb) {
  const row = requireFound(await readStore(store), 'Store')
  const current = await readCurrentIds(store)
  const ids = [...current.values()].flatMap((each) => [...each.keys()])
  const from = new Date(deps.now().getTime() - (boxCountDays - 1) * DAY_MS)
  const counts = await selectCounts(store, { from, current: ids })
  return {
    mode: row.before_consent,
    counts: counts.map(({ wording, channel, ...count }) => ({
      channel,
      language: wording === null ? null : (current.get(channel)!.get(wording) ?? null),
      ...count,
    })),
  }
}

/** Tick. */
export async function deleteOldBoxCounts(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const ago = (ms: number) => new Date(deps.now().getTime() - ms)
  await deleteOldCounts(deps.db, { views: ago(VIEW_RETENTION_MS), counts: ago(COUNT_RETENTION_MS) })
}

// SQL that counts how many shoppers saw a consent box and how many ticked it.

interface ViewRow {
  view: string
  place: BoxPlace
  channel: ConsentChannel
  wording: string
  /** null: the shopper left the box alone. */
  ticked: boolean | null
}

/**
 * Counts each view once, on the day of its first report. A later tick or untick changes that day. Views in a store that
 * keeps
 * nothing before consent are not counted as shown.
 */
async function insertViews({ db, storeId }: StoreDb, views: readonly ViewRow[], now: Date): Promise<void> {
  await sql`
    with said as (
      select v.*, st.before_consent is not distinct from 'nothing' as is_alone
      from jsonb_to_recordset(${JSON.stringify(views)}::jsonb)
        as v(view text, place text, channel text, wording text, ticked boolean)
      join stores st on st.id = ${storeId}
      left join consent_box_views k on k.store_id = st.id and k.view = v.view and k.place = v.place and k.channel = v.channel
      where case when k.view is not null then v.ticked is not null
        -- without a consent, nothing is stored in that mode (C9)
        else v.ticked or st.before_consent is distinct from 'nothing' end),
    written as (
      insert into consent_box_views as w (store_id, view, place, channel, wording_id, day, is_ticked, is_alone, seen_at)
      select ${storeId}, view, place, channel, wording, (${now}::timestamptz at time zone 'UTC')::date,
        coalesce(ticked, false), is_alone, ${now} from said
      order by view, place, channel
      on conflict (store_id, view, place, channel) do update set is_ticked = excluded.is_ticked
        -- a concurrent report without an answer must not remove a tick
        where w.is_ticked <> excluded.is_ticked and (excluded.is_ticked or exists (select 1 from said s
          where s.view = excluded.view and s.place = excluded.place and s.channel = excluded.channel and s.ticked is not null))
      returning place, channel, wording_id, day, is_ticked, is_alone, xmax = 0 as is_new),
    changes as (
      select *, case when is_ticked then 1 when is_new then 0 else -1 end as step from written)
    insert into consent_box_counts as c (store_id, day, place, channel, wording_id, shown, ticked, ticked_alone)
    select ${storeId}, day, place, channel, wording_id, count(*) filter (where is_new and not is_alone),
      coalesce(sum(step) filter (where not is_alone), 0), coalesce(sum(step) filter (where is_alone), 0)
    from changes where not is_alone or step <> 0
    group by day, place, channel, wording_id
    order by day, place, channel, wording_id
    on conflict (store_id, day, place, channel, wording_id) do update set shown = c.shown + excluded.shown,
      ticked = c.ticked + excluded.ticked, ticked_alone = c.ticked_alone + excluded.ticked_alone`.execute(db)
}

interface CountRow {
  place: BoxPlace
  channel: ConsentChannel
  /** null: none of the store's current texts. */
  wording: string | null
  shown: number
  ticked: number
  tickedAlone: number
}

/** Counts from this day on. Texts not in `current` are summed as one. */
async function selectCounts(
  { db, storeId }: StoreDb,
  { from, current }: { from: Date; current: readonly string[] },
): Promise<CountRow[]> {
  const rows = await sql<CountRow>`
    select place, channel, wording, sum(shown)::int as shown, sum(ticked)::int as ticked,
      sum(ticked_alone)::int as "tickedAlone"
    from (select *, case when wording_id = any(${[...current]}::text[]) then wording_id end as wording
      from consent_box_counts
      where store_id = ${storeId} and day >= (${from}::timestamptz at time zone 'UTC')::date) c
    group by place, channel, wording
    order by place, channel, wording`.execute(db)
  return rows.rows
}

/** Deletes old rows of all stores. */
async function deleteOldCounts(db: Db, before: { views: Date; counts: Date }): Promise<void> {
  await db.deleteFrom('consent_box_views').where('seen_at', '<', before.views).execute()
  await sql`delete from consent_box_counts where day < (${before.counts}::timestamptz at time zone 'UTC')::date`.execute(
    db,
  )
}
