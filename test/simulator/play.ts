import { foldRollups } from '../../server/analytics/rollups.ts'
import { admitPost, type CaptureStore, recordCapture } from '../../server/carts/capture.ts'
import { foldLeftPosts, foldPostsOf } from '../../server/carts/capture-intake.ts'
import { onlyReadable } from '../../server/carts/capture-rules.ts'
import { detectAbandoned, detectLost, detectNoResponse } from '../../server/carts/detect.ts'
import { recordOrders } from '../../server/carts/record.ts'
import { restoreCart } from '../../server/carts/restore.ts'
import { fetchPrices } from '../../server/channels/prices.ts'
import { AppError } from '../../server/errors.ts'
import { saveFlow, switchFlow } from '../../server/flows/flows.ts'
import { stepsOf } from '../../server/flows/sql.ts'
import { newId } from '../../server/ids.ts'
import * as instance from '../../server/instance/sql.ts'
import { beat } from '../../server/instance/workers.ts'
import { restoreTokenOf } from '../../server/messages/compose.ts'
import { sendDue } from '../../server/messages/deliver.ts'
import { closeAbandonedFlights } from '../../server/messages/flights.ts'
import { resubscribe, unsubscribe } from '../../server/messages/track.ts'
import { askWaiting } from '../../server/shoppers/question.ts'
import { connectStore } from '../../server/stores/connect.ts'
import { disconnectStore } from '../../server/stores/stores.ts'
import { refreshOrder, sweepStore } from '../../server/stores/sync.ts'
import { dueStores, keepPosts } from '../../server/system.ts'
import { followLink } from '../../server/visits/follow.ts'
import type { CapturePost } from '../../shared/capture.ts'
import { type Actor, aWorker, Killed, secrets } from './actors.ts'
import { numbersOf } from './people.ts'
import { ownerPlayers, runErasures } from './play-owner.ts'
import { sendSome, textPlayers } from './play-texts.ts'
import { changeOrder, type Version } from './shop.ts'
import { TEXT } from './stage.ts'
import { type Act, type Consent, hasTexts, type Meanwhile, type Step } from './steps.ts'
import { type ActOf, handle, type Theatre } from './theatre.ts'

// Each act of a history, done by the engine's own functions.

type Players = { [Kind in Act['do']]: (theatre: Theatre, act: ActOf<Kind>) => Promise<unknown> }

export async function playStep(theatre: Theatre, step: Step): Promise<void> {
  await theatre.clock.pass(step.waitMs)
  await playAct(theatre, step)
}

/** What nobody in a history has a reason to be refused. */
const GRANTED: ReadonlySet<Act['do']> = new Set(['suppress', 'plan', 'budget', 'flow', 'pause', 'disconnect'])

/** What the engine refuses in so many words is ordinary; anything else is a broken engine. */
async function playAct(theatre: Theatre, act: Act): Promise<void> {
  try {
    await (players[act.do] as (theatre: Theatre, act: Act) => Promise<unknown>)(theatre, act)
  } catch (error) {
    const isRefused = error instanceof AppError && !GRANTED.has(act.do)
    if (isRefused || error instanceof Killed) return
    if (!isDeadlock(error)) throw error
    theatre.deadlocks += 1
  }
}

/** Postgres ended one of two that waited for each other: a tick comes again, a request is repeated. Counted, not forgiven. */
const isDeadlock = (error: unknown) => (error as { code?: string }).code === '40P01'

const players: Players = {
  async post(theatre, act) {
    const post = nextPost(theatre, act)
    if (act.network === 'lost') return
    if (act.network === 'late') {
      theatre.latePosts.push(post)
      return
    }
    await arrive(theatre, post, act.network === 'left')
    if (act.network === 'twice') await arrive(theatre, post)
  },
  async 'new visit'(theatre, { browser }) {
    theatre.browsers[browser]!.visit += 1
  },
  async 'late posts arrive'(theatre, { isReversed }) {
    const late = theatre.latePosts.splice(0)
    for (const post of isReversed ? late.reverse() : late) await arrive(theatre, post)
  },
  async order(theatre, act) {
    const version = changeOrder(theatre.shop, theatre.clock, act)
    noteWords(theatre, version)
    if (act.webhook === 'lost') return
    if (act.webhook === 'late') {
      theatre.lateWebhooks.push(version)
      return
    }
    await webhook(theatre, version, false)
    if (act.webhook === 'twice') await webhook(theatre, version, true)
  },
  async 'late webhooks arrive'(theatre, { isOld }) {
    for (const version of theatre.lateWebhooks.splice(0).reverse()) await webhook(theatre, version, isOld)
  },
  work,
  async restart(theatre, { worker }) {
    theatre.workers[worker]!.life.isDead = true
    theatre.workers[worker] = await aWorker(theatre.outside)
  },
  async store(theatre, { mood }) {
    theatre.shop.mood = mood
  },
  async sweep(theatre, { worker }) {
    const { deps } = await living(theatre, worker)
    await sweepStore(deps, { storeId: theatre.stage.storeId })
    await foldRollups(deps)
  },
  async clock(theatre, { jumpMs }) {
    // Processes that live say so every few seconds, whatever else they do: shortly before the clock jumps, and shortly after.
    await beatMeanwhile(theatre)
    for (const worker of theatre.workers) await stillThere(worker)
    theatre.clock.jump(jumpMs)
    for (const worker of theatre.workers) await stillThere(worker)
    theatre.hasJumped = true
  },
  async flow(theatre, { isOn, includeLast24h }) {
    const { stage, web, history } = theatre
    const wanted = { isOn, includeLast24h, holdoutPercent: history.holdoutPercent }
    await switchFlow(web.deps, handle(theatre), stage.flowId, wanted)
    theatre.isFlowOn = isOn
    theatre.say({ flowOffSince: isOn ? null : theatre.clock.trueNow() })
  },
  async edit(theatre, { delays, isTextChanged, channels }) {
    const store = handle(theatre)
    const steps = (await stepsOf(store, [theatre.stage.flowId])).map((step, index) => ({
      step: step.step,
      delayMinutes: delays[index]!,
      channel: channels?.[index],
      subject: isTextChanged ? `${step.subject}!` : step.subject,
      body: channels && channels[index] !== step.channel ? TEXT : step.body,
    }))
    theatre.editedAt = theatre.clock.trueNow()
    await saveFlow(theatre.web.deps, store, theatre.stage.flowId, { name: 'Reminders', steps })
  },
  async pause(theatre, { isPaused }) {
    const { db, now } = theatre.web.deps
    await instance.insertInstance(db, 'here', now())
    if (isPaused) await instance.pause(db, 'a copy')
    else await instance.confirm(db, 'here')
    theatre.say({ pausedSince: isPaused ? theatre.clock.trueNow() : null })
  },
  async disconnect(theatre) {
    await disconnectStore(theatre.web.deps, handle(theatre))
    theatre.say({ disconnectedSince: theatre.clock.trueNow() })
  },
  async reconnect(theatre) {
    const { accountId, homeUrl, keys } = theatre.stage
    const wanted = { consumer_key: keys.consumerKey, consumer_secret: keys.consumerSecret }
    const request = { platform: 'woocommerce' as const, store_url: homeUrl, ...wanted }
    await connectStore(theatre.web.deps, { accountId, sessionId: null }, request)
    theatre.say({ disconnectedSince: null })
  },
  async click(theatre, { mail, isHuman }) {
    const id = mailOf(theatre, mail)
    const userAgent = isHuman ? 'Mozilla/5.0 (Macintosh) Firefox/140.0' : 'curl/8.0'
    if (id)
      await followLink(theatre.web.deps, secrets.token('click', `${id}:0`), { method: 'GET', userAgent, purpose: '' })
  },
  async restore(theatre, { mail }) {
    const id = mailOf(theatre, mail)
    if (id) await restoreCart(theatre.web.deps, restoreTokenOf(secrets, id))
  },
  async unsubscribe(theatre, { mail, way }) {
    const seen = theatre.post.mails[mail]
    if (!seen) return
    await unsubscribe(theatre.web.deps, secrets.token('unsubscribe', `${seen.id}:0`), way)
    theatre.unsubscribed.set(`${seen.channel}:${seen.to}`, theatre.clock.trueNow())
    theatre.justUnsubscribed = { channel: seen.channel, address: seen.to }
  },
  async resubscribe(theatre, { mail }) {
    const seen = theatre.post.mails[mail]
    if (!seen) return
    await resubscribe(theatre.web.deps, secrets.token('unsubscribe', `${seen.id}:0`))
    const key = `${seen.channel}:${seen.to}`
    theatre.unsubscribed.delete(key)
    theatre.withdrawn.delete(key)
    theatre.yeses.add(key)
  },
  ...textPlayers,
  ...ownerPlayers,
  async 'by hand'(theatre, act) {
    // What the worker is refused is the worker's, not an answer to whoever pressed and waits.
    await sendSome(theatre, act, (worker) => playAct(theatre, { ...worker, do: 'work', meanwhile: null, diesAt: null }))
  },
  async 'at once'(theatre, { acts }) {
    await Promise.all(acts.map((act) => playAct(theatre, act)))
  },
}

const mailOf = ({ post }: Theatre, index: number) => post.mails[index]?.id

function nextPost(theatre: Theatre, act: ActOf<'post'>): CapturePost {
  const browser = theatre.browsers[act.browser]!
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

function consentOf({ email, sms, whatsapp }: Consent): NonNullable<CapturePost['consent']> {
  const wording = 'Write to me'
  return {
    ...(email === undefined ? {} : { email, wording }),
    ...(sms === undefined ? {} : { sms: { isGiven: sms, wording } }),
    ...(whatsapp === undefined ? {} : { whatsapp: { isGiven: whatsapp, wording } }),
  }
}

/** What the intake does with a post, one at a time: counts what it brings, keeps it, and it is answered. */
async function keep({ web: { deps } }: Theatre, store: CaptureStore, post: CapturePost, client: string): Promise<void> {
  await admitPost(deps, store, post, client)
  await keepPosts(deps.db, [{ store_id: store.id, id: newId(), received_at: deps.now(), post }])
}

/** `isLeft`: the process ended between its answer and what it makes of the post. */
async function arrive(theatre: Theatre, post: CapturePost, isLeft = false): Promise<void> {
  const { stage, web, clock } = theatre
  const store = { id: stage.storeId, url: stage.homeUrl, home_url: stage.homeUrl }
  // A client of its own each time: how many addresses one may bring is not what is asked here.
  const client = `client-${clock.trueNow()}-${theatre.arrivals++}`
  if (post.consent) await recordCapture(web.deps, store, post, client)
  else await keep(theatre, store, onlyReadable(post), client)
  if (!isLeft) await foldPostsOf(web.deps, stage.storeId)
  noteConsent(theatre, post)
}

/** What the shop's boxes said, once it is committed. */
function noteConsent({ withdrawn, yeses, clock }: Theatre, { consent, contact }: CapturePost): void {
  const said = { email: consent?.email, sms: consent?.sms?.isGiven, whatsapp: consent?.whatsapp?.isGiven }
  for (const [channel, isGiven] of Object.entries(said)) {
    if (isGiven === undefined) continue
    const address = channel === 'email' ? contact?.email : contact?.phone && numbersOf(contact.phone)[0]
    if (address && !isGiven) withdrawn.set(`${channel}:${address}`, clock.trueNow())
    if (!isGiven) continue
    yeses.add(`${channel}:${address ?? '*'}`)
    // Given for the address typed before, whichever that was by now.
    for (const key of withdrawn.keys())
      if (key === `${channel}:${address}` || (!address && key.startsWith(`${channel}:`))) withdrawn.delete(key)
  }
}

/** What a checkout kept of a yes counts from when the order was begun, whenever it is read. */
function noteWords({ shop, withdrawn, yeses }: Theatre, { order }: Version): void {
  const isNew = shop.versions.filter((version) => version.order.orderId === order.orderId).length === 1
  for (const { channel } of order.consents ?? []) {
    const address = channel === 'email' ? order.email : order.phone
    if (!address) continue
    yeses.add(`${channel}:${address}`)
    if (isNew) withdrawn.delete(`${channel}:${address}`)
  }
}

/** The job behind a delivery asks the store; an old body is what came of it when the store's answer was overtaken. */
async function webhook(theatre: Theatre, { order }: Version, isOld: boolean): Promise<void> {
  const { stage, web } = theatre
  if (isOld) await recordOrders(web.deps, stage.storeId, [order], 'webhook')
  else await ask(() => refreshOrder(web.deps, { storeId: stage.storeId, orderId: order.orderId }))
}

/** A store that does not answer: the job is tried again later, which the next reading makes up for. */
async function ask(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Error && error.name === 'StoreProblem')) throw error
  }
}

async function living(theatre: Theatre, index: number): Promise<Actor> {
  const worker = theatre.workers[index]!
  if (!worker.life.isDead) return worker
  theatre.workers[index] = await aWorker(theatre.outside)
  return theatre.workers[index]
}

/** One look of a worker at everything it has to do. */
async function work(theatre: Theatre, act: ActOf<'work'>): Promise<void> {
  const actor = await living(theatre, act.worker)
  const { deps, life } = actor
  await beatMeanwhile(theatre)
  theatre.post.answers = [...act.answers]
  if (act.meanwhile) interrupt(theatre, actor, act.meanwhile)
  life.statementsLeft = act.diesAt
  life.statements = 0
  const heart = setInterval(() => stillThere(actor), BEAT_MS)
  try {
    await beat(deps)
    await foldLeftPosts(deps)
    await detectAbandoned(deps)
    await closeAbandonedFlights(deps)
    if (hasTexts(theatre.history)) await askWaiting(deps)
    for (const { store_id: storeId } of await dueStores(deps.db, deps.now(), 1)) await sendDue(deps, { storeId })
    if (theatre.reported.size > 0) await fetchPrices(deps)
    await detectLost(deps)
    await detectNoResponse(deps)
    if (theatre.erasing.length > 0) await runErasures(theatre, deps)
  } finally {
    clearInterval(heart)
    life.statementsLeft = null
    life.before = async () => {}
    life.handedOver = async () => {}
    if (act.meanwhile?.at === 'page') theatre.shop.beforePage = async () => {}
    if (act.meanwhile?.at === 'wire') theatre.post.onWire = async () => {}
  }
}

/** Between two looks nobody calls them, and yet whoever lives has said so every three seconds; this is what came of it. */
async function beatMeanwhile({ outside, workers, clock }: Theatre): Promise<void> {
  const alive = workers.filter(({ life }) => !life.isDead).map(({ deps }) => deps.workerId)
  await outside.pool.query('update workers set seen_at = $1 where id = any($2) and seen_at < $1', [
    new Date(clock.now().getTime() - 3_000),
    alive,
  ])
}

/** As often as a process says so that is alive and only waits: without it the other worker would take it for dead. */
const BEAT_MS = 4_000

async function stillThere({ deps, life }: Actor): Promise<void> {
  if (life.isDead) return
  const { statements } = life
  await beat(deps).catch((error) => {
    if (!(error instanceof Killed)) throw error
  })
  // No part of a look for work: one that waits half an hour, as an erasure does for the wire, would not end.
  life.statements = statements
}

/** Does the steps once, at that point of the worker's way, while the worker waits. */
function interrupt(theatre: Theatre, { life }: Actor, { at, steps }: Meanwhile): void {
  let isDone = false
  let isJudged = false
  const once = async () => {
    if (isDone) return
    isDone = true
    for (const step of steps) await playStep(theatre, step)
  }
  if (at === 'page') theatre.shop.beforePage = once
  else if (at === 'wire') theatre.post.onWire = once
  else if (at === 'handed over') life.handedOver = once
  else
    life.before = async (statement) => {
      const isJudging = statement.includes('repeatable read')
      const isThere = at === 'claim' ? statement.includes('skip locked') && statement.includes('worker_id') : isJudging
      if (at === 'handover' ? isJudged && statement === 'begin' : isThere) await once()
      isJudged ||= isJudging
    }
}
