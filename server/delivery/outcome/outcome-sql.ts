import { type DraftNotification, insertNewsOfMessages } from '../../access/notifications/public.ts'
import { listIds, type StoreTx, sql } from '../../core/db/public.ts'
import {
  answeredState,
  becomesDelivered,
  isAccepted,
  isDelivered,
  isFailed,
  isHeld,
  isSending,
  isUnknown,
  selectNewestSend,
  type stateAfterAnswer,
} from '../../messages/messages/public.ts'

// SQL for the outcomes of sends.

export interface OutcomeRow {
  id: string
  /** Identifies the send, so that a late reply does not change a row that was sent again since. */
  sending_at: Date
  state: (typeof stateAfterAnswer)[keyof typeof stateAfterAnswer]
  reason: string | null
  provider_id: string | null
  response: string
  wake_at: Date | null
  address_hash: string
  /** The reason in the record. */
  result: string
  /** Notification for the owner; null: none. */
  news: DraftNotification | null
}

/**
 * Applies outcomes to rows in `sending`, or in `unknown` if a process considered dead was only slow and has a final
 * reply. Other rows stay unchanged. Proof of non-acceptance frees the place in the frequency cap. A retry is closed
 * instead if cart, store, campaign, step or address ended meanwhile (D5, C2). Returns the ids of the changed rows.
 */
export async function applyOutcomes(
  { db, storeId }: StoreTx,
  workerId: string,
  outcomes: readonly OutcomeRow[],
  now: Date,
): Promise<Set<string>> {
  const rows = await sql<{ id: string }>`
    with outcome as (
      select * from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) as o(id uuid, sending_at timestamptz,
        state text, reason text, provider_id text, response text, wake_at timestamptz, result text, news jsonb, address_hash text)),
    -- Rows are found by id alone: with old statistics the planner would read all messages of the store.
    locked as materialized (
      select id, state, cart_id, channel, origin_kind, origin_id, step_id from messages
      where store_id = ${storeId} and id = any(${listIds(outcomes)}::uuid[]) order by id for update),
    over as (
      select k.id, case when c.status in ('recovered', 'purchased') then 'purchased'
          when c.status in ('emptied', 'merged') or (c.status = 'lost' and k.origin_kind <> 'manual') then c.status
          when not s.is_active then 'disconnected' when g.id is not null then case when g.deleted_at is null then 'campaign_cancelled' else 'campaign_deleted' end
          when fs.id is not null then 'step_removed' else 'suppressed_' || p.reason end as reason, p.reason is null as is_cancelled
      from locked k
      join outcome o on o.id = k.id and ${isHeld('o')}
      left join carts c on c.store_id = ${storeId} and c.id = k.cart_id
      join stores s on s.id = ${storeId}
      left join campaigns g on k.origin_kind = 'campaign' and g.store_id = ${storeId} and g.id = k.origin_id
        and (g.status = 'cancelled' or g.deleted_at is not null)
      left join flow_steps fs on k.origin_kind in ('flow', 'push') and fs.store_id = ${storeId} and fs.flow_id = k.origin_id and fs.id = k.step_id
        and fs.removed_at is not null
      left join lateral (select p.reason from suppressions p where p.account_id = s.account_id
        and p.address_hash = decode(o.address_hash, 'hex') and p.channel in ('all', k.channel)
        and s.is_active and g.id is null and fs.id is null and (k.cart_id is null or c.status in ('active', 'abandoned', 'lost'))
        order by suppression_rank(p.reason) limit 1) p on true
      where (c.status not in ('active', 'abandoned') and not (c.status = 'lost' and k.origin_kind = 'manual'))
        or not s.is_active or g.id is not null or fs.id is not null or p.reason is not null),
    moved as (
      update messages m set reason = coalesce(e.reason, o.reason),
        provider_id = case when ${isUnknown('o')} then m.provider_id else o.provider_id end,
        state = ${answeredState},
        provider_response = o.response, updated_at = ${now}, wake_at = coalesce(least(o.wake_at, m.expires_at), m.wake_at),
        sending_at = case when ${isHeld('o')} or ${isFailed('o')} then null else m.sending_at end,
        finished_at = case when ${isHeld('o')} and e.id is null then null else ${now}::timestamptz end
      from outcome o join locked k on k.id = o.id left join over e on e.id = o.id
      where m.store_id = ${storeId} and m.id = any(${listIds(outcomes)}::uuid[]) and m.id = o.id
        and m.worker_id = ${workerId} and m.sending_at = o.sending_at
        -- an unknown message of an erased person stays as it is (C8)
        and (${isSending('m')} or (${isUnknown('m')} and (${isAccepted('o')} or ${isFailed('o')}) and m.to_address is not null))
      returning m.id),
    recorded as (
      insert into decisions (store_id, id, message_id, at, outcome, reason, until, inputs)
      select ${storeId}, gen_random_uuid(), o.id, ${now},
        case when e.id is null then 'result' when e.is_cancelled then 'cancel' else 'skip' end, coalesce(e.reason, o.result),
        case when e.id is null then o.wake_at end, jsonb_build_object('response', o.response)
      from outcome o join moved on moved.id = o.id left join over e on e.id = o.id),
    told as (
      ${insertNewsOfMessages(storeId, sql`select o.news from outcome o join moved on moved.id = o.id`, now)})
    select id from moved`.execute(db)
  return new Set(rows.rows.map((row) => row.id))
}

/**
 * Undoes the badge of an unsent or bounced message: its cart, and the cart it was joined to, get badge and times of
 * their newest valid message. A badge of a newer message stays.
 */
export async function undoBadge({ db, storeId }: StoreTx, messageId: string): Promise<void> {
  await sql`
    update cart_badges cb set
      last_sent_at = last.at,
      no_response_at = case when last.status in ('active', 'abandoned', 'lost') then last.at + interval '24 hours' end,
      badge = case when cb.badge = 'Recovered' then cb.badge else coalesce(last.badge, 'No Action') end
    from (select c.id, c.status, h.at, h.badge from messages m join carts o on o.store_id = m.store_id and o.id = m.cart_id
      join carts c on c.store_id = o.store_id and c.id in (o.id, o.merged_into)
      left join lateral (${selectNewestSend(sql`c.store_id`, sql`c.id`)}) h on true
      where m.store_id = ${storeId} and m.id = ${messageId}) last
    where cb.store_id = ${storeId} and cb.cart_id = last.id and (last.at is null or last.at < cb.last_sent_at)
      and cb.last_sent_at is not null`.execute(db)
}

/**
 * Marks a notification as delivered because the browser showed it, even if the push service had not replied (D4). A
 * report before the notification is settled is lost; it stays "sent". Returns whether the state changed.
 */
export async function markNotificationDelivered(
  { db, storeId }: StoreTx,
  messageId: string,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    with moved as (
      update messages m set ${becomesDelivered}, updated_at = ${now}
      where m.store_id = ${storeId} and m.id = ${messageId} and m.channel = 'push' and (${isUnknown('m')} or (${isAccepted('m')} and not ${isDelivered('m')}))
      returning m.id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select ${storeId}, gen_random_uuid(), id, ${now}, 'result', 'delivered', '{}' from moved returning 1`.execute(db)
  return rows.length > 0
}
