import { foldStalePosts } from '../../server/carts/capture/capture-intake.ts'
import { detectAbandoned, detectLost, detectNoResponse } from '../../server/carts/carts/detect.ts'
import { recordOrders } from '../../server/carts/carts/record.ts'
import { createToken } from '../../server/carts/links/message-tokens.ts'
import { refreshOrder, sweepStore } from '../../server/carts/sync/sync.ts'
import { listDueStores } from '../../server/core/db/system.ts'
import { createRestoreToken } from '../../server/delivery/compose/compose.ts'
import { recordClick } from '../../server/delivery/engagement/follow.ts'
import { fetchPrices } from '../../server/delivery/inbound/prices.ts'
import { sendOptInRequests } from '../../server/delivery/opt-in/opt-in-request.ts'
import { resubscribe, unsubscribe } from '../../server/delivery/preferences/unsubscribe.ts'
import { restoreCart } from '../../server/delivery/restore/restore.ts'
import { closeAbandonedSends } from '../../server/delivery/send/abandoned.ts'
import { sendDue } from '../../server/delivery/send/send-due.ts'
import { beat } from '../../server/delivery/send/workers.ts'
import { countFigures } from '../../server/insights/analytics/figures.ts'
import { foldRollups } from '../../server/insights/analytics/rollups.ts'
import { saveFlow } from '../../server/marketing/flows/save.ts'
import { type Step as FlowStep, listSteps } from '../../server/marketing/flows/sql.ts'
import * as instance from '../../server/workspace/instance/instance.ts'
import { connectStore } from '../../server/workspace/store-settings/connect.ts'
import { pauseSending, resumeSending } from '../../server/workspace/store-settings/pause.ts'
import { disconnectStore } from '../../server/workspace/store-settings/stores.ts'
import { type Actor, createWorker, ProcessKilled, secrets } from './actors.ts'
import { recordWorkerDeath } from './campaign-actions.ts'
import { processDelivery } from './deliveries.ts'
import { TEXT } from './fixture.ts'
import { type ActOf, type Harness, openStoreHandle } from './harness.ts'
import { BEAT_MS, recordHeartbeat, recordMissedHeartbeats } from './heartbeats.ts'
import { listNumbers } from './people.ts'
import { beatPlayers } from './play-beats.ts'
import { campaignPlayers, planning, runDueCampaigns } from './play-campaigns.ts'
import { couponPlayers, createDueCodes, findUsableCodes } from './play-coupons.ts'
import { flowEditPlayers } from './play-flow-edits.ts'
import { modePlayers, recordOrderContact } from './play-modes.ts'
import { ownerPlayers, runErasures } from './play-owner.ts'
import { pluginPlayers } from './play-plugin.ts'
import { postPlayers } from './play-posts.ts'
import { pushPlayers } from './play-push.ts'
import { severalFlowsPlayers, toggleFlow } from './play-several-flows.ts'
import { changeShopifyOrder, deliverOrder, shopifyPlayers } from './play-shopify.ts'
import { recordConnection, stopPlayers } from './play-stops.ts'
import { playManualSend, textPlayers } from './play-texts.ts'
import { isExpectedRefusal } from './refusals.ts'
import { secondShopPlayers } from './second-shop.ts'
import { changeOrder, type OrderVersion } from './shop.ts'
import { type Act, hasTexts, type Meanwhile, type Step } from './steps.ts'

// Performs each act of a scenario with functions of the engine.

type Players = { [Kind in Act['do']]: (harness: Harness, act: ActOf<Kind>) => Promise<unknown> }

export async function playStep(harness: Harness, step: Step): Promise<void> {
  await harness.clock.passTime(step.waitMs)
  await playAct(harness, step)
}

async function playAct(harness: Harness, act: Act): Promise<void> {
  harness.web.life.statements = 0
  try {
    await (players[act.do] as (harness: Harness, act: Act) => Promise<unknown>)(harness, act)
  } catch (error) {
    if (isExpectedRefusal(error, harness, act) || error instanceof ProcessKilled) return
    if (!isDeadlock(error)) throw error
    harness.deadlocks += 1
  }
}

/** PostgreSQL ended one side of a deadlock: ticks repeat and clients retry. Counted as a deadlock, not as a failure. */
const isDeadlock = (error: unknown) => (error as { code?: string }).code === '40P01'

const players: Players = {
  ...postPlayers,
  ...flowEditPlayers,
  ...severalFlowsPlayers,
  async order(harness, act) {
    if (harness.shopify) return placeShopifyOrder(harness, act)
    const version = changeOrder(harness.shop, harness.clock, act, findUsableCodes(harness, act))
    recordOrderConsents(harness, version)
    recordOrderContact(harness, version)
    if (act.webhook === 'lost') return
    if (act.webhook === 'late') {
      harness.lateWebhooks.push(version)
      return
    }
    await webhook(harness, version, false)
    if (act.webhook === 'twice') await webhook(harness, version, true)
  },
  async 'late webhooks arrive'(harness, { isOld }) {
    await countFigures(harness.web.deps)
    for (const delivery of harness.lateDeliveries.splice(0).reverse()) await processDelivery(harness, delivery)
    for (const version of harness.lateWebhooks.splice(0).reverse()) await webhook(harness, version, isOld)
  },
  work: runPass,
  async restart(harness, { worker }) {
    harness.workers[worker]!.life.isDead = true
    harness.workers[worker] = await createWorker(harness.environment)
  },
  async store(harness, { mood }) {
    harness.shop.mood = mood
  },
  async sweep(harness, { worker }) {
    const { deps } = await findLiveWorker(harness, worker)
    await sweepStore(deps, { storeId: harness.fixture.storeId })
    await foldRollups(deps)
    await countFigures(deps)
  },
  async clock(harness, { jumpMs }) {
    // Live processes send heartbeats every few seconds: also just before and after a clock jump.
    await recordMissedHeartbeats(harness)
    for (const worker of harness.workers) await recordHeartbeat(worker)
    harness.clock.jump(jumpMs)
    for (const worker of harness.workers) await recordHeartbeat(worker)
    harness.hasJumped = true
  },
  async flow(harness, { isOn, includeLast24h }) {
    await toggleFlow(harness, harness.fixture.flowId, { isOn, includeLast24h })
    // With the timeout, the times of automatic notifications change.
    if (harness.push) harness.editedAt = harness.clock.trueNow()
  },
  async edit(harness, { delays, isTextChanged, channels }) {
    const store = openStoreHandle(harness)
    const steps = (await listSteps(store, [harness.fixture.flowId])).map((step, index) => ({
      id: step.id,
      delayMinutes: delays[index]!,
      ...(channels && { channels: [channels[index]!] }),
      variants: [
        { id: step.id, sharePercent: 100, words: buildContent(step, channels?.[index] ?? step.channel, isTextChanged) },
      ],
    }))
    harness.editedAt = harness.clock.trueNow()
    await saveFlow(harness.web.deps, store, harness.fixture.flowId, { name: 'Reminders', steps })
  },
  async pause(harness, { isPaused }) {
    const { db, now } = harness.web.deps
    await instance.insertInstance(db, 'here', now())
    const store = openStoreHandle(harness)
    // Cleans up the whole installation and this store in turn; both have the same result.
    harness.pauses += isPaused ? 1 : 0
    if (!isPaused) await Promise.all([instance.confirm(db, 'here'), resumeSending(harness.web.deps, store)])
    else if (harness.pauses % 2 === 1) await instance.pause(db, 'a copy')
    else await pauseSending(harness.web.deps, harness.fixture.session, store)
    harness.setBlocks({ pausedSince: isPaused ? harness.clock.trueNow() : null })
  },
  async disconnect(harness) {
    await disconnectStore(harness.web.deps, openStoreHandle(harness))
    recordConnection(harness, false)
  },
  async reconnect(harness) {
    const { accountId, form, storeId } = harness.fixture
    if (harness.shopify) harness.shopify.tokens.length = 0
    const { store } = await connectStore(harness.web.deps, { accountId, sessionId: null }, form)
    if (harness.shopify) harness.shopify.tokens.length = 0
    // After the retention time it is a new store, and this one stays disconnected.
    if (store.id === storeId) recordConnection(harness, true)
  },
  async click(harness, { mail, isHuman }) {
    const id = findMailId(harness, mail)
    const userAgent = isHuman ? 'Mozilla/5.0 (Macintosh) Firefox/140.0' : 'curl/8.0'
    if (id)
      await recordClick(harness.web.deps, createToken(secrets, 'click', id), { method: 'GET', userAgent, purpose: '' })
  },
  async restore(harness, { mail }) {
    const id = findMailId(harness, mail)
    if (id) await restoreCart(harness.web.deps, createRestoreToken(secrets, id))
  },
  async unsubscribe(harness, { mail, method }) {
    const sent = harness.providers.mails[mail]
    if (!sent) return
    await unsubscribe(harness.web.deps, createToken(secrets, 'unsubscribe', sent.id), method)
    harness.unsubscribed.set(`${sent.channel}:${sent.to}`, harness.clock.trueNow())
    harness.justUnsubscribed = { channel: sent.channel, address: sent.to }
  },
  async resubscribe(harness, { mail }) {
    const sent = harness.providers.mails[mail]
    if (!sent) return
    await resubscribe(harness.web.deps, createToken(secrets, 'unsubscribe', sent.id))
    const key = `${sent.channel}:${sent.to}`
    harness.unsubscribed.delete(key)
    harness.withdrawn.delete(key)
    harness.consented.add(key)
    harness.resubscribed.add(sent.to)
  },
  ...textPlayers,
  ...ownerPlayers,
  ...stopPlayers,
  ...pushPlayers,
  ...pluginPlayers,
  ...modePlayers,
  ...beatPlayers,
  ...couponPlayers(findLiveWorker),
  ...shopifyPlayers(findLiveWorker),
  ...secondShopPlayers(playAct),
  ...campaignPlayers,
  async manual(harness, act) {
    // Errors of the worker are its own, and no reply to the waiting request.
    await playManualSend(harness, act, (worker) =>
      playAct(harness, { ...worker, do: 'work', meanwhile: null, diesAt: null }),
    )
  },
  async 'at once'(harness, { acts }) {
    await Promise.all(acts.map((act) => playAct(harness, act)))
  },
}

const findMailId = ({ providers }: Harness, index: number) => providers.mails[index]?.id

/** Changes a Shopify order and delivers it, and records the addresses it confirms. */
async function placeShopifyOrder(harness: Harness, act: ActOf<'order'>): Promise<void> {
  const changed = changeShopifyOrder(harness, act)
  recordOrderConsents(harness, changed.version)
  await deliverOrder(harness, changed, act)
}

/** A consent stored at checkout counts from the order's start, whenever it is read. */
function recordOrderConsents({ shop, withdrawn, consented, usable }: Harness, { order }: OrderVersion): void {
  for (const address of [order.email, order.phone]) if (address) usable.add(listNumbers(address)[0]!)
  const isNew = shop.versions.filter((version) => version.order.orderId === order.orderId).length === 1
  for (const { channel } of order.consents ?? []) {
    const address = channel === 'email' ? order.email : order.phone
    if (!address) continue
    consented.add(`${channel}:${address}`)
    if (isNew) withdrawn.delete(`${channel}:${address}`)
  }
}

/** The webhook's job queries the store. An old body simulates a reply that was overtaken. */
async function webhook(harness: Harness, { order }: OrderVersion, isOld: boolean): Promise<void> {
  const { fixture, web } = harness
  if (isOld) await recordOrders(web.deps, fixture.storeId, [order], 'webhook')
  else await ask(() => refreshOrder(web.deps, { storeId: fixture.storeId, orderId: order.orderId }))
}

/** If the store does not reply, the job is retried later; the next sync catches up. */
async function ask(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Error && error.name === 'StoreProblem')) throw error
  }
}

/** Changed content for the same channel, or content for another one. */
function buildContent(step: FlowStep, channel: string, isTextChanged: boolean) {
  const body = channel === step.channel ? step.body : TEXT
  if (channel === 'email') return { email: { subject: isTextChanged ? `${step.subject}!` : step.subject, body } }
  if (channel === 'push') return { push: { title: step.subject, body } }
  return channel === 'sms' ? { sms: { body } } : {}
}

async function findLiveWorker(harness: Harness, index: number): Promise<Actor> {
  const worker = harness.workers[index]!
  if (!worker.life.isDead) return worker
  harness.workers[index] = await createWorker(harness.environment)
  return harness.workers[index]
}

/** Runs one pass of a worker over everything that is due. */
async function runPass(harness: Harness, act: ActOf<'work'>): Promise<void> {
  const actor = await findLiveWorker(harness, act.worker)
  const { deps, life } = actor
  await recordMissedHeartbeats(harness)
  harness.providers.answers = [...act.answers]
  const interrupted = act.meanwhile ? setInterruption(harness, actor, act.meanwhile) : null
  life.remainingStatements = act.diesAt
  life.statements = 0
  const heart = setInterval(() => recordHeartbeat(actor), BEAT_MS)
  let isDone = false
  try {
    await beat(deps)
    await foldStalePosts(deps)
    await detectAbandoned(deps)
    await closeAbandonedSends(deps)
    if (hasTexts(harness.scenario)) await sendOptInRequests(deps)
    if (harness.scenario.hasCampaigns) await runDueCampaigns(harness, actor)
    if (harness.scenario.coupons) await createDueCodes(harness, deps)
    for (const { store_id: storeId } of await listDueStores(deps.db, deps.now(), harness.other ? 2 : 1))
      await sendDue(deps, { storeId, batchSize: chooseBatchSize(harness) })
    if (harness.reported.size > 0) await fetchPrices(deps)
    await detectLost(deps)
    await detectNoResponse(deps)
    if (harness.erasing.length > 0) await runErasures(harness, deps)
    isDone = true
  } finally {
    harness.isPassDone = isDone && !life.isDead
    if (life.isDead) harness.diedAt = harness.clock.trueNow()
    if (life.isDead && harness.scenario.hasCampaigns) await recordWorkerDeath(harness, deps.workerId)
    clearInterval(heart)
    life.remainingStatements = null
    life.before = async () => {}
    life.sending = async () => {}
    if (act.meanwhile?.at === 'page') harness.shop.beforePage = async () => {}
    if (act.meanwhile?.at === 'submission') harness.providers.atSubmission = async () => {}
  }
  // The engine may report it as a problem of the store or provider during which it happened.
  if (interrupted?.problem) throw interrupted.problem
}

/** Performs the steps once, at that point of the worker's pass, while the worker waits. */
function setInterruption(harness: Harness, { life }: Actor, { at, steps }: Meanwhile) {
  const interrupted: { problem: unknown } = { problem: null }
  let isDone = false
  let isEvaluated = false
  let pages = 0
  const runOnce = async () => {
    if (isDone) return
    isDone = true
    try {
      for (const step of steps) await playStep(harness, step)
    } catch (error) {
      interrupted.problem = error
      throw error
    }
  }
  if (at === 'page') harness.shop.beforePage = runOnce
  else if (at === 'submission') harness.providers.atSubmission = runOnce
  else if (at === 'sent') life.sending = runOnce
  else
    life.before = async (statement) => {
      const isEvaluating = statement.includes('repeatable read')
      if (at === 'pages') {
        pages += Number(planning.has(life) && statement === 'begin')
        if (pages === 2) await runOnce()
        return
      }
      const isThere =
        at === 'claim' ? statement.includes('skip locked') && statement.includes('worker_id') : isEvaluating
      if (at === 'before sending' ? isEvaluated && statement === 'begin' : isThere) await runOnce()
      isEvaluated ||= isEvaluating
    }
  return interrupted
}

/**
 * With a slow shop everything due is claimed in one batch: with more, the first would be due again before the last is
 * decided.
 */
function chooseBatchSize({ shop, scenario }: Harness): number {
  return shop.mood === 'is slow' || shop.mood.startsWith('stalls') ? 100 : scenario.batchSize
}
