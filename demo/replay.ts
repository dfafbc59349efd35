import { groupAccountNotifications } from '../server/access/notifications/group.ts'
import { markAllRead } from '../server/access/notifications/member.ts'
import * as detectSql from '../server/carts/carts/detect-sql.ts'
import { recordFacts, recordOrders } from '../server/carts/carts/record.ts'
import { createCodes } from '../server/carts/coupon-codes/codes.ts'
import { assignFlows } from '../server/carts/flow-choice/choose.ts'
import { createToken } from '../server/carts/links/message-tokens.ts'
import { type Db, transact } from '../server/core/db/db.ts'
import { createRestoreToken } from '../server/delivery/compose/compose.ts'
import { recordClick, recordOpen } from '../server/delivery/engagement/follow.ts'
import { recordMailReport } from '../server/delivery/mail-reports/mail-reports.ts'
import { unsubscribe } from '../server/delivery/preferences/unsubscribe.ts'
import { restoreCart } from '../server/delivery/restore/restore.ts'
import { findUnneededCodes } from '../server/delivery/send/needless-codes.ts'
import { sendDue } from '../server/delivery/send/send-due.ts'
import type { Deps } from '../server/deps.ts'
import { saveFlow } from '../server/marketing/flows/save.ts'
import { listFlows, listSteps } from '../server/marketing/flows/sql.ts'
import type { EmailChannel } from '../server/messages/channels/channel.ts'
import { setNextDue as scheduleNextRun } from '../server/messages/messages/sql.ts'
import type { ItemRef, ItemTerms } from '../server/platforms/platform/platform.ts'
import { recordAnswers } from '../server/shoppers/consent/consents.ts'
import { COUPON_STEP } from './coupon-plan.ts'
import { createPastCouponApi } from './coupons.ts'
import type { DemoEvent } from './events.ts'
import { STEP_DELAYS_MINUTES } from './plan.ts'
import * as sql from './sql.ts'

// Replays events through the real engine under a simulated clock. Between events it runs the workers' jobs: abandon
// carts, send, expire. Emails are discarded.

export interface Replay {
  deps: Deps
  /** In one transaction that no other connection can see. */
  db: Db
  storeId: string
  events: readonly DemoEvent[]
  /** The end of the past. */
  now: Date
  /** The store's coupon ids by code. */
  codeIds: ReadonlyMap<string, string>
  isGone: (email: string) => boolean
  signal?: AbortSignal
  onProgress?: (share: number) => void
}

/** Interval of the simulated workers. A coarse interval saves thousands of runs. */
const WORKER_INTERVAL_MS = 30 * 60_000
/** The demo flow's delays after the replay (decision 29). */
const DEMO_DELAYS_MINUTES = [1, 3, 5]

export async function replay(context: Replay): Promise<void> {
  const { storeId, db, now } = context
  const clock = { at: (context.events[0]?.at ?? now.getTime()) - 60_000 }
  const deps = createPastDeps(context, clock)
  const store = { storeId, db }
  await sql.createSnapshotTables(db, storeId)
  await transact(store, (tx) => sql.setFlowStart(tx, new Date(clock.at)))
  await setStepDelays(deps, storeId, STEP_DELAYS_MINUTES)
  await sql.setStepCoupon(store, null)
  const groups = groupEvents(context.events)
  for (const [index, group] of groups.entries()) {
    context.signal?.throwIfAborted()
    context.onProgress?.(index / groups.length)
    await advanceTo(deps, storeId, clock, group[0]!.at)
    clock.at = group.at(-1)!.at
    await applyEvents(deps, storeId, group)
    if (index % 8 === 0) await closeStaleCarts(deps, storeId)
    if (index === 50 || index === 300) await sql.analyzeTables(db)
  }
  await advanceTo(deps, storeId, clock, now.getTime())
  clock.at = now.getTime()
  await setStepDelays(deps, storeId, DEMO_DELAYS_MINUTES)
  await runWorkers(deps, storeId)
  await closeStaleCarts(deps, storeId)
  await sql.cleanUpCodes(store, now)
  await sql.dropSnapshotTables(db)
  await transact(store, (tx) =>
    sql.backdateNotifications(tx, new Date((context.events[0]?.at ?? now.getTime()) - 60_000)),
  )
  await groupAccountNotifications({ accountId: await sql.findAccountId(store), db }, now)
  await transact(store, async (tx) => {
    await sql.setFlowStart(tx, new Date(context.events[0]?.at ?? now.getTime()))
    await sql.resumeOrderCheck(tx, now)
    const dayBefore = new Date(now.getTime() - 86_400_000)
    for (const userId of await sql.listMembers(tx)) await markAllRead(tx, userId, dayBefore)
    await sql.setConnectedAt(tx, new Date(context.events[0]?.at ?? now.getTime()))
    await scheduleNextRun(tx)
  })
}

/** Groups browser events within 45 minutes: no cart is abandoned within that time. */
function groupEvents(events: readonly DemoEvent[]): DemoEvent[][] {
  const groups: DemoEvent[][] = []
  for (const event of events) {
    const group = groups.at(-1)
    const joins =
      isBrowserEvent(event) && group?.[0] && isBrowserEvent(group[0]) && event.at - group[0].at < 45 * 60_000
    if (group && joins) group.push(event)
    else groups.push([event])
  }
  return groups
}

/** Whether a page of the shop sent the event. */
const isBrowserEvent = ({ kind }: DemoEvent) => kind === 'fact' || kind === 'said'

function createPastDeps({ deps, db, codeIds, isGone }: Replay, clock: { at: number }): Deps {
  const discardingChannel: EmailChannel = {
    poolSize: 50,
    send: async (mail) =>
      isGone(mail.to)
        ? { kind: 'rejected', reason: 'mailbox_unknown', response: '550 5.1.1 No such user', isRecipientFault: true }
        : { kind: 'accepted', providerId: `history-${mail.messageId}`, response: '250 2.0.0 Ok' },
    check: async () => ({ isOk: true }),
    close: async () => {},
  }
  const coupons = createPastCouponApi(codeIds)
  return {
    ...deps,
    db,
    now: () => new Date(clock.at),
    log: deps.log.child({}, { level: 'warn' }),
    jobs: { enqueue: async () => {}, queues: async () => [] },
    // Past availability is unknown, so every item counts as available.
    storeClient: (...of) => ({
      ...deps.storeClient(...of),
      ...coupons,
      terms: async ({ items }) => items.map(markAvailable),
    }),
    channels: {
      ...deps.channels,
      email: discardingChannel,
      demoEmail: discardingChannel,
      ownMail: async () => null,
      text: async () => null,
    },
  }
}

const markAvailable = (item: ItemRef): ItemTerms => ({
  ...item,
  isAvailable: true,
  priceMinor: null,
  stockQuantity: null,
})

/** Runs the workers until `until`, at the times when work is due. */
async function advanceTo(deps: Deps, storeId: string, clock: { at: number }, until: number): Promise<void> {
  for (;;) {
    const due = await sql.findNextDue({ storeId, db: deps.db })
    if (!due || due.getTime() >= until) return
    const runAt = Math.ceil(due.getTime() / WORKER_INTERVAL_MS) * WORKER_INTERVAL_MS + (due.getTime() % 97_000)
    clock.at = Math.max(clock.at, Math.min(runAt, until - 1))
    await runWorkers(deps, storeId)
  }
}

async function runWorkers(deps: Deps, storeId: string): Promise<void> {
  const store = { storeId, db: deps.db }
  const now = deps.now()
  await abandonCarts(deps, storeId, now)
  if (await sql.isCodeDue(store, now)) await createCodes(withCodeLeadTime(deps), { storeId }, findUnneededCodes)
  await sql.markOrderCheckDone(store, now)
  await sendDue(deps, { storeId })
}

/**
 * createCodes() works 15 minutes ahead. A clock set back by that time creates codes only for emails that are due now.
 */
const CODE_LEAD_MS = 15 * 60_000

const withCodeLeadTime = (deps: Deps): Deps => ({ ...deps, now: () => new Date(deps.now().getTime() - CODE_LEAD_MS) })

/** Jobs that may run a few hours late. */
async function closeStaleCarts(deps: Deps, storeId: string): Promise<void> {
  await sql.markNoResponse({ storeId, db: deps.db }, deps.now())
  await loseCarts(deps, storeId, deps.now())
}

/** As carts/detect.ts, but for one store: the replay must not change other stores. */
function abandonCarts(deps: Deps, storeId: string, now: Date): Promise<void> {
  return transact({ storeId, db: deps.db }, async (tx) => {
    const cartIds = await detectSql.abandonDueCarts(tx, now, 500)
    if (cartIds.length === 0) return
    await detectSql.notifyAbandoned(tx, cartIds, now)
    await assignFlows(tx, { secrets: deps.secrets, now }, cartIds)
    await scheduleNextRun(tx)
  })
}

async function loseCarts(deps: Deps, storeId: string, now: Date): Promise<void> {
  for (const cart of await detectSql.selectLostCarts(deps.db, now, 500)) {
    if (cart.store_id !== storeId) continue
    const uniqueKey = `lost:${cart.id}:${cart.lost_at.toISOString()}`
    const payload = { type: 'lost' } as const
    await recordFacts(deps, { storeId, db: deps.db }, [
      { keys: cart.keys, source: 'engine', at: cart.lost_at, uniqueKey, payload },
    ])
  }
}

async function applyEvents(deps: Deps, storeId: string, group: readonly DemoEvent[]): Promise<void> {
  const facts = group.flatMap((each) => (each.kind === 'fact' ? [each.fact] : []))
  if (facts.length > 0) await recordFacts(deps, { storeId, db: deps.db }, facts)
  for (const each of group) {
    if (each.kind === 'order') await recordOrders(deps, storeId, [each.order], 'sync')
    else if (each.kind === 'said') await recordConsents(deps, storeId, each)
    else if (each.kind === 'carried') await sql.setStepCoupon({ storeId, db: deps.db }, each.couponId)
    else if (each.kind === 'code') await reserveCode(deps, storeId, each)
    else if (each.kind !== 'fact') await applyReaction(deps, storeId, each)
  }
}

function recordConsents(
  deps: Deps,
  storeId: string,
  { answers, at }: Extract<DemoEvent, { kind: 'said' }>,
): Promise<boolean> {
  return transact({ storeId, db: deps.db }, (tx) => recordAnswers(deps, tx, answers, new Date(at)))
}

function reserveCode(deps: Deps, storeId: string, { email, code, couponId }: Extract<DemoEvent, { kind: 'code' }>) {
  return sql.reserveCode({ storeId, db: deps.db }, { email, step: COUPON_STEP, code, couponId, at: deps.now() })
}

type Reaction = Exclude<DemoEvent, { kind: 'fact' | 'order' | 'said' | 'carried' | 'code' }>

/** Reacts to sent emails only. */
async function applyReaction(deps: Deps, storeId: string, reaction: Reaction): Promise<void> {
  const messageId = await sql.findSentMessage({ storeId, db: deps.db }, reaction.email, reaction.step)
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

async function setStepDelays(deps: Deps, storeId: string, minutes: readonly number[]): Promise<void> {
  const store = { storeId, db: deps.db }
  for (const flow of await listFlows(store)) {
    const steps = (await listSteps(store, [flow.id])).map((step, index) => ({
      id: step.id,
      delayMinutes: minutes[index] ?? step.delay_minutes,
    }))
    await saveFlow(deps, store, flow.id, { name: flow.name, steps })
  }
}
