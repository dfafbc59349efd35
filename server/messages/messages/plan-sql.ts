import type { OriginKind } from '../../../shared/carts/carts.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { type StoreTx, sql } from '../../core/db/public.ts'
import {
  becomesCancelled,
  becomesUndecided,
  isOpen,
  mayArrive,
  mayPassNow,
  SCHEDULED,
  wasAttempted,
} from './fragments.ts'

// SQL for messages without a cart.

export interface PlannedMessage {
  id: string
  shopperId: string
}

export interface NewMessages {
  origin: { kind: OriginKind; id: string; stepId: string | null; step: number }
  /** The people, each with their message's id and its delay after `dueAt`. */
  rows: readonly (PlannedMessage & { laterMs?: number })[]
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  templateId: string | null
  dueAt: Date
  expiresAt: Date
  wakeAt: Date
  purchasesSince: Date | null
  now: Date
}

/** D1 for messages without a cart. */
const ONCE_PER_SHOPPER = sql`(store_id, lone_shopper_id, origin_kind, origin_id, step_id, channel, merged_from)
      where lone_shopper_id is not null`

/**
 * Inserts one message for each person who has none of this origin and step yet, on any channel. Returns the inserted
 * rows. Locks the people, so that none is merged meanwhile (S6).
 */
export async function insertWithoutCart({ db, storeId }: StoreTx, input: NewMessages): Promise<PlannedMessage[]> {
  const { origin, rows, now } = input
  const inserted = await sql<PlannedMessage>`
    with wanted as materialized (
      select w.id, s.id as shopper_id, coalesce(w."laterMs", 0) * interval '1 millisecond' as later
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w(id uuid, "shopperId" uuid, "laterMs" bigint)
      join shoppers s on s.store_id = ${storeId} and s.id = w."shopperId" order by s.id for share of s)
    insert into messages (store_id, id, shopper_id, origin_kind, origin_id, step_id, step, channel, state, due_at, expires_at, wake_at,
      template_id, purchases_since, created_at, updated_at)
    select ${storeId}, w.id, w.shopper_id, ${origin.kind}, ${origin.id}, ${origin.stepId}, ${origin.step}, ${input.channel}, ${SCHEDULED},
      ${input.dueAt}::timestamptz + w.later, ${input.expiresAt}::timestamptz + w.later, ${input.wakeAt}::timestamptz + w.later, ${input.templateId}, ${input.purchasesSince}, ${now}, ${now}
    from wanted w
    where not exists (select 1 from messages o where o.store_id = ${storeId} and o.lone_shopper_id = w.shopper_id
      and o.origin_kind = ${origin.kind} and o.origin_id = ${origin.id} and o.step_id is not distinct from ${origin.stepId}::uuid)
    on conflict ${ONCE_PER_SHOPPER} do nothing returning id, shopper_id as "shopperId"`.execute(db)
  return inserted.rows
}

export interface MessageRequest {
  requestedBy: string
  /** For a bulk request. */
  jobId?: string | null
  /** Replaces the person's own address. */
  toAddress?: string | null
  /** For a discount mail. */
  couponId?: string | null
  cartUrl?: string | null
  /** For a notification. */
  iconUrl?: string | null
  subject: string | null
  body: string | null
  design?: MailDocument | null
  isImmediate: boolean
  overridesHoldout: boolean
}

/** Stores the content that a member requested. */
export async function insertRequests(
  { db, storeId }: StoreTx,
  ids: readonly string[],
  input: MessageRequest & Pick<NewMessages, 'templateId' | 'now'>,
): Promise<void> {
  await sql`
    insert into manual_messages (store_id, message_id, job_id, asked_by, to_address, template_id, subject, body, design, coupon_id, cart_url, icon_url,
      is_immediate, overrides_holdout, created_at)
    select ${storeId}, id, ${input.jobId ?? null}, ${input.requestedBy}, ${input.toAddress ?? null},
      ${input.templateId}, ${input.subject}, ${input.body}, ${input.design ? JSON.stringify(input.design) : null}::jsonb, ${input.couponId ?? null}, ${input.cartUrl ?? null}, ${input.iconUrl ?? null}, ${input.isImmediate}, ${input.overridesHoldout}, ${input.now}
    from unnest(${[...ids]}::uuid[]) as id`.execute(db)
}

/** Reconsiders held messages to these addresses once they are due. */
export async function wakeHeldByAddress(
  { db, storeId }: StoreTx,
  addresses: readonly string[],
  now: Date,
): Promise<void> {
  await sql`update messages m set ${becomesUndecided(now)}
    from (select id from messages where store_id = ${storeId} and lone_shopper_id in (
        select k.shopper_id from shopper_keys k where k.store_id = ${storeId} and k.kind in ('email', 'phone')
          and k.value = any(${[...addresses]}::text[]))
      and ${mayPassNow('messages', now)} order by id for update) open
    where m.store_id = ${storeId} and m.id = open.id`.execute(db)
}

/**
 * Keeps at most one message per step without a cart after two people merge, on any channel: none if the other's was
 * sent, else the one of `intoId`. A discount mail or campaign run keeps none if the other's is about a cart. Call it
 * before rows move from `fromId` to `intoId`.
 */
export async function cancelDuplicates(
  { db, storeId }: StoreTx,
  fromId: string,
  intoId: string,
  now: Date,
): Promise<void> {
  await sql`
    with closed as (
      update messages m set ${becomesCancelled('merged', now)}
      from (select o.id from messages o
        where o.store_id = ${storeId} and o.lone_shopper_id in (${fromId}, ${intoId}) and ${isOpen('o')}
          and exists (select 1 from messages h where h.store_id = ${storeId} and h.lone_shopper_id in (${fromId}, ${intoId})
            and h.lone_shopper_id <> o.lone_shopper_id and h.origin_kind = o.origin_kind and h.origin_id = o.origin_id
            and h.step_id is not distinct from o.step_id
            and (${wasAttempted('h')} or (${isOpen('h')} and o.lone_shopper_id = ${fromId}))
          union all
          select 1 from manual_messages r join manual_messages j on j.store_id = r.store_id and j.job_id = r.job_id
          join messages h on h.store_id = j.store_id and h.id = j.message_id
          where r.store_id = ${storeId} and r.message_id = o.id and r.coupon_id is not null and h.shopper_id <> o.shopper_id
            and h.cart_id in (select c.id from carts c where c.store_id = ${storeId} and c.shopper_id in (${fromId}, ${intoId}))
            and (${mayArrive('h')} or ${isOpen('h')})
          union all
          select 1 from carts c join messages h on h.store_id = c.store_id and h.cart_id = c.id
          where o.origin_kind = 'campaign' and c.store_id = ${storeId} and c.shopper_id in (${fromId}, ${intoId}) and c.shopper_id <> o.shopper_id
            and h.origin_kind = o.origin_kind and h.origin_id = o.origin_id and h.step_id = o.step_id and (${mayArrive('h')} or ${isOpen('h')}))
        order by o.id for update) open
      where m.store_id = ${storeId} and m.id = open.id returning m.id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select ${storeId}, gen_random_uuid(), id, ${now}, 'cancel', 'merged', '{}' from closed`.execute(db)
}
