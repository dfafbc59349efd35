import type { ConsentChannel } from '../../../shared/consent.ts'
import type { BoxPlace } from '../../../shared/consent-box.ts'
import { type Db, type StoreDb, sql } from '../../core/db/db.ts'

// Statements that count how many shoppers saw a consent box and how many ticked it.

export interface ViewRow {
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
export async function insertViews({ db, storeId }: StoreDb, views: readonly ViewRow[], now: Date): Promise<void> {
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

export interface CountRow {
  place: BoxPlace
  channel: ConsentChannel
  /** null: none of the store's current texts. */
  wording: string | null
  shown: number
  ticked: number
  tickedAlone: number
}

/** Counts from this day on. Texts not in `current` are summed as one. */
export async function selectCounts(
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
export async function deleteOldCounts(db: Db, before: { views: Date; counts: Date }): Promise<void> {
  await db.deleteFrom('consent_box_views').where('seen_at', '<', before.views).execute()
  await sql`delete from consent_box_counts where day < (${before.counts}::timestamptz at time zone 'UTC')::date`.execute(
    db,
  )
}
