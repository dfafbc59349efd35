import crypto from 'node:crypto'
import { refreshCheckout } from '../../server/carts/sync/checkouts.ts'
import { receiveDelivery } from '../../server/carts/sync/deliveries.ts'
import { checkoutJob, customerJob, orderJob } from '../../server/carts/sync/jobs.ts'
import { refreshCustomer } from '../../server/carts/sync/local-copies.ts'
import { refreshOrder } from '../../server/carts/sync/sync.ts'
import { AppError } from '../../server/core/common/errors.ts'
import type { Actor, StoreJob } from './actors.ts'
import type { Harness } from './harness.ts'
import { listNumbers } from './people.ts'
import { APP, type ReportedConsent } from './shop-shopify.ts'
import type { DeliveryFate } from './shopify.ts'

// Webhook deliveries of a Shopify shop, which may be lost, duplicated, delayed or forged; their jobs; and the consents
// to expect.

export interface Delivery {
  /** Topic as in the header: `orders/updated`. */
  topic: string
  body: object
}

/** Sends a delivery of the scenario. A forged delivery reports a change the shop never made. */
export async function sendDelivery(harness: Harness, delivery: Delivery, fate: DeliveryFate): Promise<void> {
  if (fate === 'lost') return
  if (fate === 'forged') return sendForged(harness, delivery)
  const reported = { ...delivery, id: crypto.randomUUID() }
  if (fate === 'late') {
    harness.lateDeliveries.push(reported)
    return
  }
  await processDelivery(harness, reported)
  if (fate === 'twice') await processDelivery(harness, reported, true)
}

export interface ShopDelivery extends Delivery {
  /** Event id: the same for each delivery of the event. */
  id: string
}

/** Processes a genuine delivery. `isAgain`: the event was delivered before. */
export async function processDelivery(harness: Harness, reported: ShopDelivery, isAgain = false): Promise<void> {
  const { environment, shopify } = harness
  const wasConnected = !harness.isDisconnected
  const jobsBefore = environment.storeJobs.length
  const isAccepted = await receive(harness, reported, APP.clientSecret)
  if (!isAccepted && wasConnected && !harness.isDisconnected) shopify!.faults.push(`${reported.topic} was rejected`)
  if (isAgain && environment.storeJobs.length > jobsBefore) shopify!.faults.push(`${reported.topic} counted twice`)
  await runStoreJobs(harness)
}

/** Uses another secret, no signature, or another body under this signature. */
async function sendForged(harness: Harness, delivery: Delivery): Promise<void> {
  const attempts = {
    'another secret': () => receive(harness, buildReport(), 'shpss_of_somebody'),
    'no signature': () => receive(harness, buildReport(), null),
    'another body': () =>
      receive(harness, buildReport(), APP.clientSecret, { ...delivery.body, note: 'changed on the way' }),
  }
  const buildReport = () => ({ ...delivery, id: crypto.randomUUID() })
  for (const [how, deliver] of Object.entries(attempts)) {
    if (await deliver()) harness.shopify!.faults.push(`${delivery.topic} with ${how} was accepted`)
  }
  harness.environment.storeJobs.length = 0
}

async function receive(
  { web, fixture }: Harness,
  { topic, body, id }: ShopDelivery,
  secret: string | null,
  sent: object = body,
): Promise<boolean> {
  const signBody = (of: object, by: string) =>
    crypto.createHmac('sha256', by).update(JSON.stringify(of)).digest('base64')
  const headers = {
    'x-shopify-topic': topic,
    'x-shopify-event-id': id,
    'x-shopify-webhook-id': crypto.randomUUID(),
    ...(secret === null ? {} : { 'x-shopify-hmac-sha256': signBody(body, secret) }),
  }
  const delivery = { rawBody: Buffer.from(JSON.stringify(sent)), headers }
  try {
    await receiveDelivery(web.deps, { platform: 'shopify', storeKey: fixture.captureKey }, delivery)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return false
    throw error
  }
}

/** Runs the jobs that deliveries have queued. If the shop does not reply, the next sync catches up. */
async function runStoreJobs(harness: Harness): Promise<void> {
  for (const { name, payload } of harness.environment.storeJobs.splice(0)) {
    await recordConsents(harness, harness.web, () => runJob(harness.web, { name, payload }))
  }
}

async function runJob({ deps }: Actor, { name, payload }: StoreJob): Promise<boolean> {
  if (name === orderJob.name) await refreshOrder(deps, payload as never)
  if (name === checkoutJob.name) await refreshCheckout(deps, payload as never)
  if (name === customerJob.name) await refreshCustomer(deps, payload as never)
  return true
}

/**
 * Runs `work` and records the consents that the shop reported. If `work` completes, the engine has to know them. If it
 * fails, the engine may know them, and a repeated report is not new.
 */
export async function recordConsents(harness: Harness, { deps }: Actor, work: () => Promise<boolean>): Promise<void> {
  const { shopify } = harness
  shopify!.reportedConsents.set(deps.workerId, [])
  let isDone = false
  try {
    isDone = await work()
  } catch (error) {
    if (!(error instanceof Error && error.name === 'StoreProblem')) throw error
  } finally {
    for (const reported of shopify!.reportedConsents.get(deps.workerId) ?? [])
      recordReportedConsent(harness, reported, isDone)
    shopify!.reportedConsents.set(deps.workerId, [])
  }
}

function recordReportedConsent(harness: Harness, reported: ReportedConsent, isDone: boolean): void {
  const { withdrawn, consented, processedConsents, clock, hasJumped } = harness
  const key = `${reported.channel}:${listNumbers(reported.address)[0]}`
  const word = `${key} ${reported.isWithdrawn} ${reported.at}`
  const isNew = !processedConsents.has(word)
  processedConsents.add(word)
  if (!isNew) return
  if (reported.isWithdrawn && isDone) withdrawn.set(key, withdrawn.get(key) ?? clock.trueNow())
  if (reported.isWithdrawn) return
  consented.add(key)
  // A consent dated before the withdrawal does not undo it; the shop's times have seconds.
  const since = withdrawn.get(key)
  if (since !== undefined && (hasJumped || reported.at === null || reported.at + 1_000 > since)) withdrawn.delete(key)
}
