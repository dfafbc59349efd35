import type { SendReply } from '../../../shared/delivery/reminders.ts'
import { discountTexts, READY_DISCOUNT } from '../../../shared/marketing/discount-mail.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { newestAbandoned } from '../../carts/carts/public.ts'
import { AppError, createId } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import { assertTextRenders } from '../../delivery/compose/public.ts'
import type { Deps } from '../../deps.ts'
import { refreshLargeJobStatistics } from './bulk-sends.ts'
import * as jobs from './bulk-sends-sql.ts'
import { type IdempotentRequest, replayReply, withIdempotencyKey } from './idempotency.ts'
import { assertMaySend, countCustomText, PRIORITY_MS, resolveDesign, waitForReply } from './manual.ts'
import { type CommonFields, type Items, planItems } from './plan-items.ts'

// Mails to people instead of carts (decision 39), each about the most recently abandoned cart or none. The rows are the
// job, as with carts.

export interface Offer extends jobs.Offer {
  couponId: string
  /** Default: the ready text. */
  subject?: string | undefined
  body?: string | undefined
  /** Replaces subject and body. */
  design?: MailDocument | null | undefined
}

const CHANNEL = 'email' as const

/** Throws an AppError if nothing can be sent at all; reasons of single people are results of their items. */
export async function startPeopleJob(
  deps: Deps,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  { shopperIds, ...asked }: Offer & { shopperIds: readonly string[] },
): Promise<{ jobId: string }> {
  const offer = { ...asked, ...resolveDesign(asked) }
  const recipients = [...new Set(shopperIds)]
  await assertMaySendOffer(deps, store, request, offer)
  const requestedBy = request.session.userId
  const job = await withIdempotencyKey(deps, store, request, {
    make: async (tx, jobId) => {
      await countCharacters(deps, tx, request, { ...offer, count: recipients.length })
      await planPeople(deps, tx, { ...offer, jobId, requestedBy, shopperIds: recipients })
    },
    answer: buildJobReply,
  })
  await refreshLargeJobStatistics(deps, store, recipients.length)
  return job
}

const buildJobReply = async (jobId: string) => ({ jobId })

/** The job of an earlier request with this key; null: there is none. */
export const findReplayedJob = (deps: Pick<Deps, 'now'>, store: StoreDb<Db>, request: IdempotentRequest) =>
  replayReply(deps, store, request, buildJobReply)

async function assertMaySendOffer(
  deps: Pick<Deps, 'config' | 'db' | 'now' | 'renders'>,
  store: StoreDb,
  { session, account }: IdempotentRequest,
  { subject, body, design }: Offer,
): Promise<void> {
  await assertMaySend(deps, account, CHANNEL)
  await assertTextRenders(deps, { accountId: session.accountId, store }, { channel: CHANNEL, subject, body, design })
}

const countCharacters = (
  deps: Pick<Deps, 'config' | 'now' | 'secrets'>,
  tx: StoreTx,
  request: IdempotentRequest,
  { subject, body, count }: Offer & { count: number },
) => countCustomText(deps, tx, request, { channel: CHANNEL, subject, body, count })

async function planPeople(
  deps: Pick<Deps, 'jobs' | 'now'>,
  tx: StoreTx,
  {
    jobId,
    requestedBy,
    shopperIds,
    ...offer
  }: Offer & { jobId: string; requestedBy: string; shopperIds: readonly string[] },
): Promise<void> {
  const now = deps.now()
  const job = resolveText(offer, { jobId, requestedBy })
  await jobs.insertJob(tx, { ...job, id: jobId, now })
  const people = await readPeople(tx, shopperIds)
  await planItems(deps, tx, job, toItems(people, { originId: jobId, purchasesSince: now }))
  const known = new Set(people.map((person) => person.shopper_id))
  const missing = shopperIds.filter((id) => !known.has(id))
  if (missing.length > 0) await jobs.recordMissing(tx, jobId, missing)
}

/** A person with a cart gets a message about it. */
function toItems(
  people: readonly (PersonRow & { id?: string })[],
  lone: { originId: string; purchasesSince: Date },
): Items {
  const rows = people.map(({ id = createId(), shopper_id, cart_id }) => ({
    id,
    shopperId: shopper_id,
    cartId: cart_id,
  }))
  const carts = rows.flatMap(({ id, cartId }) => (cartId ? [{ id, cartId }] : []))
  return { carts, lone: { ...lone, people: rows.filter(({ cartId }) => cartId === null) } }
}

function resolveText(
  { couponId, cartUrl, subject, body, design = null }: Offer,
  { jobId, requestedBy }: { jobId: string | null; requestedBy: string },
): CommonFields {
  const own = { subject: subject ?? READY_DISCOUNT.subject, body: body ?? READY_DISCOUNT.body }
  return {
    jobId,
    channel: CHANNEL,
    requestedBy,
    sendAt: null,
    templateId: null,
    overridesHoldout: false,
    couponId,
    cartUrl,
    ...own,
    design,
  }
}

/** Sends one mail to a customer of the store and returns the result. */
export async function sendToPerson(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  { email, ...offer }: Offer & { email: string },
): Promise<SendReply> {
  await assertMaySendOffer(deps, store, request, offer)
  const person = await findPerson(store, email)
  if (!person) throw notACustomer()
  const toAddress = email === person.usual ? null : email
  return withIdempotencyKey(deps, store, request, {
    make: async (tx, id) => {
      const [row] = await readPeople(tx, [person.id])
      if (!row) throw notACustomer()
      await countCharacters(deps, tx, request, { ...offer, count: 1 })
      const text = resolveText(offer, { jobId: null, requestedBy: request.session.userId })
      const items = toItems([{ ...row, id }], { originId: id, purchasesSince: deps.now() })
      await planItems(deps, tx, { ...text, toAddress, aheadMs: PRIORITY_MS }, items)
    },
    answer: (id) => waitForReply(store, id, CHANNEL),
  })
}

/** The result of an earlier request with this key; null: there is none. */
export const findReplayedSend = (deps: Pick<Deps, 'now'>, store: StoreDb<Db>, request: IdempotentRequest) =>
  replayReply(deps, store, request, (id) => waitForReply(store, id, CHANNEL))

function notACustomer(): AppError {
  const message = discountTexts.notACustomer
  return new AppError('unprocessable', message, { fields: { to: message } })
}

// SQL for people as recipients.

interface PersonRow {
  shopper_id: string
  /** The most recently abandoned cart; null: the person has none. */
  cart_id: string | null
}

/** Those who are customers of the store. */
async function readPeople({ db, storeId }: StoreTx, shopperIds: readonly string[]): Promise<PersonRow[]> {
  const rows = await sql<PersonRow>`
    select s.id as shopper_id, c.id as cart_id from shoppers s left join lateral (${newestAbandoned}) c on true
    where s.store_id = ${storeId} and s.id = any(${[...shopperIds]}::uuid[])`.execute(db)
  return rows.rows
}

/** Finds the person with this address. `usual`: the address for messages about their most recently abandoned cart. */
async function findPerson({ db, storeId }: StoreDb, email: string) {
  const rows = await sql<{ id: string; usual: string | null }>`
    select s.id, case when c.id is null then s.email else c.email end as usual
    from shopper_keys k join shoppers s on s.store_id = k.store_id and s.id = k.shopper_id
    left join lateral (${newestAbandoned}) c on true
    where k.store_id = ${storeId} and k.kind = 'email' and k.value = ${email}`.execute(db)
  return rows.rows[0]
}
