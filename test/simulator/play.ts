import { countFigures } from '../../server/analytics/figures.ts'
import { foldRollups } from '../../server/analytics/rollups.ts'
import { admitPost, type CaptureStore, recordCapture } from '../../server/capture/capture.ts'
import { foldLeftPosts, foldPostsOf } from '../../server/capture/capture-intake.ts'
import { onlyReadable } from '../../server/capture/capture-rules.ts'
import { PER_CLIENT } from '../../server/capture/contact-limits.ts'
import { detectAbandoned, detectLost, detectNoResponse } from '../../server/carts/detect.ts'
import { recordOrders } from '../../server/carts/record.ts'
import { restoreTokenOf } from '../../server/compose/compose.ts'
import { newId } from '../../server/core/ids.ts'
import { tryTake } from '../../server/core/rate-limits.ts'
import { dueStores, keepPosts } from '../../server/core/system.ts'
import { followLink } from '../../server/engagement/follow.ts'
import { saveFlow, switchFlow } from '../../server/flows/flows.ts'
import { stepsOf } from '../../server/flows/sql.ts'
import { fetchPrices } from '../../server/inbound/prices.ts'
import * as instance from '../../server/instance/sql.ts'
import { askWaiting } from '../../server/opt-in/opt-in-request.ts'
import { resubscribe, unsubscribe } from '../../server/preferences/unsubscribe.ts'
import { restoreCart } from '../../server/restore/restore.ts'
import { sendDue } from '../../server/send/deliver.ts'
import { closeAbandonedSubmissions } from '../../server/send/submissions.ts'
import { beat } from '../../server/send/workers.ts'
import { connectStore } from '../../server/store-settings/connect.ts'
import { pauseSending, resumeSending } from '../../server/store-settings/pause.ts'
import { disconnectStore } from '../../server/store-settings/stores.ts'
import { refreshOrder, sweepStore } from '../../server/sync/sync.ts'
import type { CapturePost } from '../../shared/capture.ts'
import { aBox } from '../boxes.ts'
import { type Actor, aWorker, Killed, secrets } from './actors.ts'
import { noteDeath } from './deeds.ts'
import { TEXT } from './fixture.ts'
import { type ActOf, type Harness, handle } from './harness.ts'
import { BEAT_MS, beatMeanwhile, stillThere } from './heart.ts'
import { numbersOf } from './people.ts'
import { campaignPlayers, planning, runDueCampaigns } from './play-campaigns.ts'
import { codesNamed, couponPlayers, makeDueCodes } from './play-coupons.ts'
import { ownerPlayers, runErasures } from './play-owner.ts'
import { pluginPlayers } from './play-plugin.ts'
import { pushPlayers } from './play-push.ts'
import { noteConnected, stopPlayers } from './play-stops.ts'
import { sendSome, textPlayers } from './play-texts.ts'
import { isRefusal } from './refusals.ts'
import { changeOrder, type Version } from './shop.ts'
import { type Act, type Consent, hasTexts, type Meanwhile, type Step } from './steps.ts'

// Each act of a history, done by the engine's own functions.

type Players = { [Kind in Act['do']]: (harness: Harness, act: ActOf<Kind>) => Promise<unknown> }

export async function playStep(harness: Harness, step: Step): Promise<void> {
  await harness.clock.pass(step.waitMs)
  await playAct(harness, step)
}

async function playAct(harness: Harness, act: Act): Promise<void> {
  try {
    await (players[act.do] as (harness: Harness, act: Act) => Promise<unknown>)(harness, act)
  } catch (error) {
    if (isRefusal(error, harness, act) || error instanceof Killed) return
    if (!isDeadlock(error)) throw error
    harness.deadlocks += 1
  }
}

/** Postgres ended one of two that waited for each other: a tick comes again, a request is repeated. Counted, not forgiven. */
const isDeadlock = (error: unknown) => (error as { code?: string }).code === '40P01'

const players: Players = {
  async post(harness, act) {
    const post = nextPost(harness, act)
    if (act.network === 'lost') return
    if (act.network === 'late') {
      harness.latePosts.push(post)
      return
    }
    await arrive(harness, post, act.network === 'left')
    if (act.network === 'twice') await arrive(harness, post)
  },
  async 'new visit'(harness, { browser }) {
    harness.browsers[browser]!.visit += 1
  },
  async 'late posts arrive'(harness, { isReversed }) {
    const late = harness.latePosts.splice(0)
    for (const post of isReversed ? late.reverse() : late) await arrive(harness, post)
  },
  async order(harness, act) {
    const version = changeOrder(harness.shop, harness.clock, act, codesNamed(harness, act))
    noteText(harness, version)
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
    for (const version of harness.lateWebhooks.splice(0).reverse()) await webhook(harness, version, isOld)
  },
  work,
  async restart(harness, { worker }) {
    harness.workers[worker]!.life.isDead = true
    harness.workers[worker] = await aWorker(harness.outside)
  },
  async store(harness, { mood }) {
    harness.shop.mood = mood
  },
  async sweep(harness, { worker }) {
    const { deps } = await living(harness, worker)
    await sweepStore(deps, { storeId: harness.fixture.storeId })
    await foldRollups(deps)
    await countFigures(deps)
  },
  async clock(harness, { jumpMs }) {
    // Processes that live say so every few seconds, whatever else they do: shortly before the clock jumps, and shortly after.
    await beatMeanwhile(harness)
    for (const worker of harness.workers) await stillThere(worker)
    harness.clock.jump(jumpMs)
    for (const worker of harness.workers) await stillThere(worker)
    harness.hasJumped = true
  },
  async flow(harness, { isOn, includeLast24h }) {
    const { fixture, web, scenario } = harness
    const wanted = { isOn, includeLast24h, holdoutPercent: scenario.holdoutPercent }
    await switchFlow(web.deps, handle(harness), fixture.flowId, wanted)
    if (isOn !== harness.isFlowOn) Object.assign(harness, { isFlowOn: isOn, flowOnIn: harness.stepNumber })
    harness.say({ flowOffSince: isOn ? null : harness.clock.trueNow() })
  },
  async edit(harness, { delays, isTextChanged, channels }) {
    const store = handle(harness)
    const steps = (await stepsOf(store, [harness.fixture.flowId])).map((step, index) => ({
      step: step.step,
      delayMinutes: delays[index]!,
      channel: channels?.[index],
      subject: isTextChanged ? `${step.subject}!` : step.subject,
      body: channels && channels[index] !== step.channel ? TEXT : step.body,
    }))
    harness.editedAt = harness.clock.trueNow()
    await saveFlow(harness.web.deps, store, harness.fixture.flowId, { name: 'Reminders', steps })
  },
  async pause(harness, { isPaused }) {
    const { db, now } = harness.web.deps
    await instance.insertInstance(db, 'here', now())
    const store = handle(harness)
    // By turns the whole installation and this store alone; both end together.
    harness.pauses += isPaused ? 1 : 0
    if (!isPaused) await Promise.all([instance.confirm(db, 'here'), resumeSending(harness.web.deps, store)])
    else if (harness.pauses % 2 === 1) await instance.pause(db, 'a copy')
    else await pauseSending(harness.web.deps, harness.fixture.session, store)
    harness.say({ pausedSince: isPaused ? harness.clock.trueNow() : null })
  },
  async disconnect(harness) {
    await disconnectStore(harness.web.deps, handle(harness))
    noteConnected(harness, false)
  },
  async reconnect(harness) {
    const { accountId, homeUrl, keys } = harness.fixture
    const wanted = { consumer_key: keys.consumerKey, consumer_secret: keys.consumerSecret }
    const request = { platform: 'woocommerce' as const, store_url: homeUrl, ...wanted }
    await connectStore(harness.web.deps, { accountId, sessionId: null }, request)
    noteConnected(harness, true)
  },
  async click(harness, { mail, isHuman }) {
    const id = mailOf(harness, mail)
    const userAgent = isHuman ? 'Mozilla/5.0 (Macintosh) Firefox/140.0' : 'curl/8.0'
    if (id)
      await followLink(harness.web.deps, secrets.token('click', `${id}:0`), { method: 'GET', userAgent, purpose: '' })
  },
  async restore(harness, { mail }) {
    const id = mailOf(harness, mail)
    if (id) await restoreCart(harness.web.deps, restoreTokenOf(secrets, id))
  },
  async unsubscribe(harness, { mail, way }) {
    const seen = harness.post.mails[mail]
    if (!seen) return
    await unsubscribe(harness.web.deps, secrets.token('unsubscribe', `${seen.id}:0`), way)
    harness.unsubscribed.set(`${seen.channel}:${seen.to}`, harness.clock.trueNow())
    harness.justUnsubscribed = { channel: seen.channel, address: seen.to }
  },
  async resubscribe(harness, { mail }) {
    const seen = harness.post.mails[mail]
    if (!seen) return
    await resubscribe(harness.web.deps, secrets.token('unsubscribe', `${seen.id}:0`))
    const key = `${seen.channel}:${seen.to}`
    harness.unsubscribed.delete(key)
    harness.withdrawn.delete(key)
    harness.yeses.add(key)
  },
  ...textPlayers,
  ...ownerPlayers,
  ...stopPlayers,
  ...pushPlayers,
  ...pluginPlayers,
  ...couponPlayers(living),
  ...campaignPlayers,
  async manual(harness, act) {
    // What the worker is refused is the worker's, not an answer to whoever pressed and waits.
    await sendSome(harness, act, (worker) => playAct(harness, { ...worker, do: 'work', meanwhile: null, diesAt: null }))
  },
  async 'at once'(harness, { acts }) {
    await Promise.all(acts.map((act) => playAct(harness, act)))
  },
}

const mailOf = ({ post }: Harness, index: number) => post.mails[index]?.id

function nextPost(harness: Harness, act: ActOf<'post'>): CapturePost {
  const browser = harness.browsers[act.browser]!
  if (act.isNewPage || browser.seq < 0) {
    browser.page += 1
    browser.seq = -1
  }
  browser.seq += 1
  const { visit, page, seq } = browser
  return {
    cart: `cart-of-browser-${act.browser}-visit-${visit}`,
    device: `device-of-browser-${act.browser}`,
    page: `page-${act.browser}-${page}`,
    seq,
    ...(act.items ? { items: act.items.map(([id, quantity]) => ({ id, quantity })), coupons: [...act.coupons] } : {}),
    ...(act.contact ? { contact: act.contact } : {}),
    ...(act.consent === null ? {} : { consent: consentOf(act.consent) }),
  }
}

function consentOf(consent: Consent): NonNullable<CapturePost['consent']> {
  const boxes = (['email', 'sms', 'whatsapp'] as const).flatMap((channel) => {
    const isGiven = consent[channel]
    return isGiven === undefined ? [] : [[channel, aBox(channel, isGiven)]]
  })
  return Object.fromEntries(boxes)
}

/** What the intake does with a post, one at a time: counts what it brings, keeps it, and it is answered. */
async function keep({ web: { deps } }: Harness, store: CaptureStore, post: CapturePost, client: string): Promise<void> {
  const admitted = await admitPost(deps, store, post, client)
  await keepPosts(deps.db, [{ store_id: store.id, id: newId(), received_at: deps.now(), post: admitted }])
}

/** `isLeft`: the process ended between its answer and what it makes of the post. */
async function arrive(harness: Harness, post: CapturePost, isLeft = false): Promise<void> {
  const { fixture, web, clock } = harness
  const store = { id: fixture.storeId, url: fixture.homeUrl, home_url: fixture.homeUrl }
  const isCrowded = harness.arrivals++ % 4 === 3
  const client = isCrowded ? await crowd(harness) : `client-${clock.trueNow()}-${harness.arrivals}`
  const isOfCart = saidOfItsCart(harness, post, isCrowded)
  if (Object.values(post.consent ?? {}).some((box) => !box?.isGiven)) await foldPostsOf(web.deps, fixture.storeId)
  if (post.consent) await recordCapture(web.deps, store, post, client)
  else await keep(harness, store, onlyReadable(post), client)
  if (!isLeft) await foldPostsOf(web.deps, fixture.storeId)
  noteConsent(harness, post, isOfCart)
}

/** A network that has brought as many new contacts within the hour as one may; the others are networks of their own. */
async function crowd(harness: Harness): Promise<string> {
  const subject = `${harness.fixture.storeId}\0crowd`
  const takes = harness.isCrowdFull ? [] : Object.values(PER_CLIENT)
  harness.isCrowdFull = true
  for (const limit of takes) for (let i = 0; i < limit.points; i++) await tryTake(harness.web.deps, limit, subject)
  return 'crowd'
}

/** A no of a page counts for what an earlier post of the same cart has said below the limits, and nobody else's. */
function saidOfItsCart(
  { contacts, refused, usable }: Harness,
  { cart, contact }: CapturePost,
  isCrowded: boolean,
): (address: string) => boolean {
  const before = new Set(contacts.get(cart))
  const said = [contact?.email, contact?.phone].flatMap((each) => (each ? numbersOf(each)[0]! : []))
  const open = new Set(refused.get(cart))
  if (isCrowded) refused.set(cart, new Set([...open, ...said.filter((address) => !before.has(address))]))
  else {
    for (const address of said) usable.add(address)
    contacts.set(cart, new Set([...before, ...said.filter((address) => !open.has(address))]))
  }
  return (address) => !isCrowded && before.has(address)
}

/** What the shop's boxes said, once it is committed. */
function noteConsent(
  { withdrawn, yeses, clock }: Harness,
  { consent, contact }: CapturePost,
  isOfCart: (address: string) => boolean,
): void {
  const said = { email: consent?.email?.isGiven, sms: consent?.sms?.isGiven, whatsapp: consent?.whatsapp?.isGiven }
  for (const [channel, isGiven] of Object.entries(said)) {
    if (isGiven === undefined) continue
    const address = channel === 'email' ? contact?.email : contact?.phone && numbersOf(contact.phone)[0]
    if (address && !isGiven && isOfCart(address)) withdrawn.set(`${channel}:${address}`, clock.trueNow())
    if (!isGiven) continue
    yeses.add(`${channel}:${address ?? '*'}`)
    // Given for the address typed before, whichever that was by now.
    for (const key of withdrawn.keys())
      if (key === `${channel}:${address}` || (!address && key.startsWith(`${channel}:`))) withdrawn.delete(key)
  }
}

/** What a checkout kept of a yes counts from when the order was begun, whenever it is read. */
function noteText({ shop, withdrawn, yeses, usable }: Harness, { order }: Version): void {
  for (const address of [order.email, order.phone]) if (address) usable.add(numbersOf(address)[0]!)
  const isNew = shop.versions.filter((version) => version.order.orderId === order.orderId).length === 1
  for (const { channel } of order.consents ?? []) {
    const address = channel === 'email' ? order.email : order.phone
    if (!address) continue
    yeses.add(`${channel}:${address}`)
    if (isNew) withdrawn.delete(`${channel}:${address}`)
  }
}

/** The job behind a delivery asks the store; an old body is what came of it when the store's answer was overtaken. */
async function webhook(harness: Harness, { order }: Version, isOld: boolean): Promise<void> {
  const { fixture, web } = harness
  if (isOld) await recordOrders(web.deps, fixture.storeId, [order], 'webhook')
  else await ask(() => refreshOrder(web.deps, { storeId: fixture.storeId, orderId: order.orderId }))
}

/** A store that does not answer: the job is tried again later, which the next reading makes up for. */
async function ask(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Error && error.name === 'StoreProblem')) throw error
  }
}

async function living(harness: Harness, index: number): Promise<Actor> {
  const worker = harness.workers[index]!
  if (!worker.life.isDead) return worker
  harness.workers[index] = await aWorker(harness.outside)
  return harness.workers[index]
}

/** One look of a worker at everything it has to do. */
async function work(harness: Harness, act: ActOf<'work'>): Promise<void> {
  const actor = await living(harness, act.worker)
  const { deps, life } = actor
  await beatMeanwhile(harness)
  harness.post.answers = [...act.answers]
  if (act.meanwhile) interrupt(harness, actor, act.meanwhile)
  life.statementsLeft = act.diesAt
  life.statements = 0
  const heart = setInterval(() => stillThere(actor), BEAT_MS)
  let isDone = false
  try {
    await beat(deps)
    await foldLeftPosts(deps)
    await detectAbandoned(deps)
    await closeAbandonedSubmissions(deps)
    if (hasTexts(harness.scenario)) await askWaiting(deps)
    if (harness.scenario.hasCampaigns) await runDueCampaigns(harness, actor)
    if (harness.scenario.coupons) await makeDueCodes(harness, deps)
    for (const { store_id: storeId } of await dueStores(deps.db, deps.now(), 1)) await sendDue(deps, { storeId })
    if (harness.reported.size > 0) await fetchPrices(deps)
    await detectLost(deps)
    await detectNoResponse(deps)
    if (harness.erasing.length > 0) await runErasures(harness, deps)
    isDone = true
  } finally {
    harness.isLookDone = isDone && !life.isDead
    if (life.isDead && harness.scenario.hasCampaigns) await noteDeath(harness, deps.workerId)
    clearInterval(heart)
    life.statementsLeft = null
    life.before = async () => {}
    life.handedOver = async () => {}
    if (act.meanwhile?.at === 'page') harness.shop.beforePage = async () => {}
    if (act.meanwhile?.at === 'submission') harness.post.atSubmission = async () => {}
  }
}

/** Does the steps once, at that point of the worker's way, while the worker waits. */
function interrupt(harness: Harness, { life }: Actor, { at, steps }: Meanwhile): void {
  let isDone = false
  let isEvaluated = false
  let pages = 0
  const once = async () => {
    if (isDone) return
    isDone = true
    for (const step of steps) await playStep(harness, step)
  }
  if (at === 'page') harness.shop.beforePage = once
  else if (at === 'submission') harness.post.atSubmission = once
  else if (at === 'handed over') life.handedOver = once
  else
    life.before = async (statement) => {
      const isEvaluating = statement.includes('repeatable read')
      if (at === 'pages') {
        pages += Number(planning.has(life) && statement === 'begin')
        if (pages === 2) await once()
        return
      }
      const isThere =
        at === 'claim' ? statement.includes('skip locked') && statement.includes('worker_id') : isEvaluating
      if (at === 'handover' ? isEvaluated && statement === 'begin' : isThere) await once()
      isEvaluated ||= isEvaluating
    }
}
