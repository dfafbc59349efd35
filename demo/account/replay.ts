import { groupAccountNotifications } from '../../server/access/notifications/group.ts'
import { markAllRead } from '../../server/access/notifications/member.ts'
import * as detectSql from '../../server/carts/carts/detect-sql.ts'
import { recordFacts, recordOrders } from '../../server/carts/carts/record.ts'
import { createCodes } from '../../server/carts/coupon-codes/codes.ts'
import { assignFlows } from '../../server/carts/flow-choice/choose.ts'
import { createToken } from '../../server/carts/links/message-tokens.ts'
import { type Db, transact } from '../../server/core/db/db.ts'
import { createRestoreToken } from '../../server/delivery/compose/compose.ts'
import { recordClick, recordOpen } from '../../server/delivery/engagement/follow.ts'
import { recordMailReport } from '../../server/delivery/mail-reports/mail-reports.ts'
import { unsubscribe } from '../../server/delivery/preferences/unsubscribe.ts'
import { restoreCart } from '../../server/delivery/restore/restore.ts'
import { findUnneededCodes } from '../../server/delivery/send/needless-codes.ts'
import { sendDue } from '../../server/delivery/send/send-due.ts'
import type { Deps } from '../../server/deps.ts'
import { saveFlow } from '../../server/marketing/flows/save.ts'
import { listFlows, stepsOf } from '../../server/marketing/flows/sql.ts'
import type { EmailChannel } from '../../server/messages/channels/channel.ts'
import { scheduleNextLook } from '../../server/messages/messages/messages.ts'
import type { ItemRef, ItemTerms } from '../../server/platforms/platform/platform.ts'
import { recordAnswers } from '../../server/shoppers/consent/consents.ts'
import { CARRYING_STEP } from './coupon-plan.ts'
import { couponsOfThePast } from './coupons.ts'
import type { DemoEvent } from './events.ts'
import { STEP_DELAYS_MINUTES } from './plan.ts'
import * as sql from './sql.ts'

// Lets the real engine live through what happened, under a clock of its own. Between two events it does what workers do:
// abandon, send, give up. The mail goes nowhere.

export interface Life {
  deps: Deps
  /** Of one transaction, which nobody else sees into. */
  db: Db
  storeId: string
  events: readonly DemoEvent[]
  /** Where the past ends. */
  now: Date
  /** The store's ids of the coupons that stand in it. */
  codeIds: ReadonlyMap<string, string>
  isGone: (email: string) => boolean
  signal?: AbortSignal
  onProgress?: (share: number) => void
}

/** Workers look at this pace, plus some seconds: to the minute is fine for the past and spares thousands of looks. */
const PACE_MS = 30 * 60_000
/** What the flow of the demo is switched to when the past ends (decision 29). */
const DEMO_MINUTES = [1, 3, 5]

export async function replay(life: Life): Promise<void> {
  const { storeId, db, now } = life
  const clock = { at: (life.events[0]?.at ?? now.getTime()) - 60_000 }
  const deps = inThePast(life, clock)
  const store = { storeId, db }
  await sql.standIn(db, storeId)
  await transact(store, (tx) => sql.switchedOnAt(tx, new Date(clock.at)))
  await setPace(deps, storeId, STEP_DELAYS_MINUTES)
  await sql.carryCoupon(store, null)
  const groups = grouped(life.events)
  for (const [index, group] of groups.entries()) {
    life.signal?.throwIfAborted()
    life.onProgress?.(index / groups.length)
    await passTo(deps, storeId, clock, group[0]!.at)
    clock.at = group.at(-1)!.at
    await happen(deps, storeId, group)
    if (index % 8 === 0) await giveUp(deps, storeId)
    if (index === 50 || index === 300) await sql.takeStock(db)
  }
  await passTo(deps, storeId, clock, now.getTime())
  clock.at = now.getTime()
  await setPace(deps, storeId, DEMO_MINUTES)
  await work(deps, storeId)
  await giveUp(deps, storeId)
  await sql.tidyCodes(store, now)
  await sql.endStandIn(db)
  await transact(store, (tx) => sql.toldSince(tx, new Date((life.events[0]?.at ?? now.getTime()) - 60_000)))
  await groupAccountNotifications({ accountId: await sql.accountOf(store), db }, now)
  await transact(store, async (tx) => {
    await sql.switchedOnAt(tx, new Date(life.events[0]?.at ?? now.getTime()))
    await sql.endHistoryAt(tx, now)
    const dayBefore = new Date(now.getTime() - 86_400_000)
    for (const userId of await sql.membersOf(tx)) await markAllRead(tx, userId, dayBefore)
    await sql.connectedAt(tx, new Date(life.events[0]?.at ?? now.getTime()))
    await scheduleNextLook(tx)
  })
}

/** Posts of the same three quarters of an hour are told together: nobody falls quiet within them. */
function grouped(events: readonly DemoEvent[]): DemoEvent[][] {
  const groups: DemoEvent[][] = []
  for (const event of events) {
    const group = groups.at(-1)
    const joins = isPosted(event) && group?.[0] && isPosted(group[0]) && event.at - group[0].at < 45 * 60_000
    if (group && joins) group.push(event)
    else groups.push([event])
  }
  return groups
}

/** Came from a page of the shop. */
const isPosted = ({ kind }: DemoEvent) => kind === 'fact' || kind === 'said'

function inThePast({ deps, db, codeIds, isGone }: Life, clock: { at: number }): Deps {
  const nowhere: EmailChannel = {
    poolSize: 50,
    send: async (mail) =>
      isGone(mail.to)
        ? { kind: 'rejected', reason: 'mailbox_unknown', response: '550 5.1.1 No such user', isRecipientFault: true }
        : { kind: 'accepted', providerId: `history-${mail.messageId}`, response: '250 2.0.0 Ok' },
    check: async () => ({ isOk: true }),
    close: async () => {},
  }
  const coupons = couponsOfThePast(codeIds)
  return {
    ...deps,
    db,
    now: () => new Date(clock.at),
    log: deps.log.child({}, { level: 'warn' }),
    jobs: { enqueue: async () => {}, queues: async () => [] },
    // What was for sale then is nowhere told.
    storeClient: (...of) => ({
      ...deps.storeClient(...of),
      ...coupons,
      terms: async ({ items }) => items.map(forSale),
    }),
    channels: {
      ...deps.channels,
      email: nowhere,
      demoEmail: nowhere,
      ownMail: async () => null,
      text: async () => null,
    },
  }
}

const forSale = (item: ItemRef): ItemTerms => ({ ...item, isAvailable: true, priceMinor: null, stockQuantity: null })

/** The clock's own work until `until`, at the moments there is any. */
async function passTo(deps: Deps, storeId: string, clock: { at: number }, until: number): Promise<void> {
  for (;;) {
    const due = await sql.nextDue({ storeId, db: deps.db })
    if (!due || due.getTime() >= until) return
    const look = Math.ceil(due.getTime() / PACE_MS) * PACE_MS + (due.getTime() % 97_000)
    clock.at = Math.max(clock.at, Math.min(look, until - 1))
    await work(deps, storeId)
  }
}

async function work(deps: Deps, storeId: string): Promise<void> {
  const store = { storeId, db: deps.db }
  const now = deps.now()
  await abandon(deps, storeId, now)
  if (await sql.isCodeDue(store, now)) await createCodes(aheadOf(deps), { storeId }, findUnneededCodes)
  await sql.orderCheckAt(store, now)
  await sendDue(deps, { storeId })
}

/** Codes are made a quarter of an hour ahead: so much earlier they are those of the mails that are due now, and none of the present's. */
const AHEAD_MS = 15 * 60_000

const aheadOf = (deps: Deps): Deps => ({ ...deps, now: () => new Date(deps.now().getTime() - AHEAD_MS) })

/** What may be a few hours late. */
async function giveUp(deps: Deps, storeId: string): Promise<void> {
  await sql.markNoResponse({ storeId, db: deps.db }, deps.now())
  await lose(deps, storeId, deps.now())
}

/** As carts/detect.ts does it for all stores at once; the past of one store must not touch the others. */
function abandon(deps: Deps, storeId: string, now: Date): Promise<void> {
  return transact({ storeId, db: deps.db }, async (tx) => {
    const cartIds = await detectSql.abandonDueCarts(tx, now, 500)
    if (cartIds.length === 0) return
    await detectSql.notifyAbandoned(tx, cartIds, now)
    await assignFlows(tx, { secrets: deps.secrets, now }, cartIds)
    await scheduleNextLook(tx)
  })
}

async function lose(deps: Deps, storeId: string, now: Date): Promise<void> {
  for (const cart of await detectSql.selectLostCarts(deps.db, now, 500)) {
    if (cart.store_id !== storeId) continue
    const uniqueKey = `lost:${cart.id}:${cart.lost_at.toISOString()}`
    const payload = { type: 'lost' } as const
    await recordFacts(deps, storeId, [{ keys: cart.keys, source: 'engine', at: cart.lost_at, uniqueKey, payload }])
  }
}

async function happen(deps: Deps, storeId: string, group: readonly DemoEvent[]): Promise<void> {
  const facts = group.flatMap((each) => (each.kind === 'fact' ? [each.fact] : []))
  if (facts.length > 0) await recordFacts(deps, storeId, facts)
  for (const each of group) {
    if (each.kind === 'order') await recordOrders(deps, storeId, [each.order], 'sync')
    else if (each.kind === 'said') await tell(deps, storeId, each)
    else if (each.kind === 'carried') await sql.carryCoupon({ storeId, db: deps.db }, each.couponId)
    else if (each.kind === 'code') await expectCode(deps, storeId, each)
    else if (each.kind !== 'fact') await react(deps, storeId, each)
  }
}

function tell(deps: Deps, storeId: string, { said, at }: Extract<DemoEvent, { kind: 'said' }>): Promise<boolean> {
  return transact({ storeId, db: deps.db }, (tx) => recordAnswers(deps, tx, said, new Date(at)))
}

function expectCode(deps: Deps, storeId: string, { email, code, couponId }: Extract<DemoEvent, { kind: 'code' }>) {
  return sql.wantCode({ storeId, db: deps.db }, { email, step: CARRYING_STEP, code, couponId, at: deps.now() })
}

type Reaction = Exclude<DemoEvent, { kind: 'fact' | 'order' | 'said' | 'carried' | 'code' }>

/** Only to a mail that did go out. */
async function react(deps: Deps, storeId: string, reaction: Reaction): Promise<void> {
  const messageId = await sql.sentMessage({ storeId, db: deps.db }, reaction.email, reaction.step)
  if (!messageId) return
  switch (reaction.kind) {
    case 'unsubscribe':
      await unsubscribe(deps, createToken(deps.secrets, 'unsubscribe', messageId), 'one-click')
      return
    case 'complaint':
      await recordMailReport(deps, { messageId, ...COMPLAINT, at: deps.now() })
      return
    case 'open':
      await recordOpen(deps, createToken(deps.secrets, 'open', messageId), {
        ...BROWSER,
        userAgent: reaction.userAgent,
      })
      return
    case 'click':
      await recordClick(deps, createToken(deps.secrets, 'click', messageId), BROWSER)
      if (reaction.isBuying) await restoreCart(deps, createRestoreToken(deps.secrets, messageId))
  }
}

const COMPLAINT = { kind: 'complaint', source: 'feedback loop', status: null, words: 'Reported as spam' } as const

const BROWSER = { method: 'GET', userAgent: 'Mozilla/5.0 (Macintosh) Firefox/140.0', purpose: '' }

async function setPace(deps: Deps, storeId: string, minutes: readonly number[]): Promise<void> {
  const store = { storeId, db: deps.db }
  for (const flow of await listFlows(store)) {
    const steps = (await stepsOf(store, [flow.id])).map((step, index) => ({
      id: step.id,
      delayMinutes: minutes[index] ?? step.delay_minutes,
    }))
    await saveFlow(deps, store, flow.id, { name: flow.name, steps })
  }
}
