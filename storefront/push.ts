import { type BarSettings, makeBar } from '../shared/delivery/push-bar.ts'
import { readToolConsent } from './consent-tools.ts'
import { openMemory } from './memory.ts'
import { post } from './push-box.ts'
import { readCartToken } from './push-cart.ts'
import {
  askPermission,
  findActiveWorker,
  type PushContext,
  readWorkerVersion,
  reconcile,
  type Setup,
  startWorker,
  updateWorker,
} from './push-subscription.ts'

// The widget (decision 76): <script src="https://…/push/KEY.js" data-method="functions" defer></script>, beside the
// capture script or the plugin, which identify the cart. It asks in a bar on the shop's page; the browser's prompt
// follows a "yes". Its errors must never be visible on the shop's page.

interface RecoupWindow extends Window {
  /** `false`: the shopper refused what is not necessary; nothing is asked or stored. */
  recoupConsent?: boolean
  /** Prepended by our server: optimisers that merge scripts lose its address. */
  recoupSetup?: { key?: string; origin: string; mode?: string }
}

interface Answer extends Setup {
  workerVersion: number
  prompt: BarSettings & { delayMs: number; wording: string }
  askAgainDays: number
}

const view = window as unknown as RecoupWindow
const DAY_MS = 86_400_000
/** Carts can appear without a new page. */
const CHECK_EVERY_MS = 1_000
/** How long a server answer applies to the pages of a visit. */
const FRESH_MS = 600_000

function runSilently(work: () => Promise<unknown>): void {
  work().catch(() => {})
}

/** iOS outside the home screen has no push, so it shows nothing. */
const canPush = () =>
  isSecureContext && 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

const hasRefused = () => view.recoupConsent === false || readToolConsent() === false

interface Source {
  origin: string
  method: string
  storeUrl: string
}

async function start(source: Source): Promise<void> {
  if (!canPush() || hasRefused()) return
  const answer = await readSetup(source)
  if (!answer) return
  const context = { ...source, setup: answer, memory: openMemory(answer.storeKey) }
  await reconcile(context).catch(() => {})
  followCart(context)
  if (source.method === 'button') offerButtons(context, answer)
  else setTimeout(() => askWhenReady(source, context, answer), answer.prompt.delayMs)
}

/**
 * After an order a new cart begins, and the server must link the browser to it. Reported one check later, after the
 * cart itself.
 */
function followCart(context: PushContext, reported = readCartToken(context), lastCart = reported): void {
  setTimeout(() => {
    const cart = readCartToken(context)
    const isSettled = cart === lastCart
    if (isSettled && cart !== undefined && cart !== reported) runSilently(() => reconcile(context))
    followCart(context, isSettled ? (cart ?? reported) : reported, cart)
  }, CHECK_EVERY_MS)
}

async function readSetup(source: Source): Promise<Answer | undefined | null> {
  const known = readCachedSetup()
  if (known) return known
  const worker = await findActiveWorker()
  const workerVersion = worker && (await readWorkerVersion(worker))
  const answer = await reportSetup(source, { hasWorker: worker !== undefined, workerVersion })
  if (!answer) return answer
  sessionStorage.setItem('recoup_push', JSON.stringify({ answer, until: Date.now() + FRESH_MS }))
  if (worker && workerVersion! < answer.workerVersion)
    runSilently(() => updateWorker(worker).then(() => reportFreshWorker(source, worker)))
  return answer
}

interface ActiveWorker {
  hasWorker: boolean
  workerVersion: number | undefined
  isFresh?: boolean
}

const reportSetup = ({ origin, method, storeUrl }: Source, worker: ActiveWorker) =>
  post<Answer>(origin, 'auto-setup', {
    storeUrl,
    userAgent: navigator.userAgent,
    timestamp: new Date().toISOString(),
    method,
    ...worker,
  })

/** A worker fetched a moment ago is the one the shop serves. */
const reportFreshWorker = async (source: Source, worker: ServiceWorkerRegistration) =>
  reportSetup(source, { hasWorker: true, workerVersion: await readWorkerVersion(worker), isFresh: true })

function readCachedSetup(): Answer | undefined {
  const cached = JSON.parse(sessionStorage.getItem('recoup_push') ?? 'null') as { answer: Answer; until: number } | null
  return cached && cached.until > Date.now() ? cached.answer : undefined
}

function askWhenReady(source: Source, context: PushContext, answer: Answer): void {
  if (Notification.permission !== 'default') return
  const promptedAt = Number(context.memory.get('asked') ?? 0)
  if (Date.now() - promptedAt < answer.askAgainDays * DAY_MS) return
  if (hasRefused() || !readCartToken(context)) {
    setTimeout(() => askWhenReady(source, context, answer), CHECK_EVERY_MS)
    return
  }
  runSilently(async () => {
    await prepare(source, answer)
    context.memory.set('asked', String(Date.now()))
    showBar(context, answer)
  })
}

/** Consent refers to the bar's text, because the bar precedes every browser prompt. */
function showBar(context: PushContext, { prompt }: Answer, isDone = () => {}): void {
  const bar = makeBar(prompt, {
    decline: () => bar.remove(),
    accept: () => {
      bar.remove()
      runSilently(() => askPermission(context, prompt.wording).then(isDone))
    },
  })
  document.body.append(bar)
}

/** Without an active worker a "yes" would fail, so nothing is asked, and the owner sees that no worker was found. */
async function prepare(source: Source, answer: Answer): Promise<void> {
  if (await findActiveWorker()) return
  await reportFreshWorker(source, await startWorker(answer.workerUrl))
}

/** A button of the shop's own, `<button data-recoup-push hidden>`, shown where it works. */
function offerButtons(context: PushContext & Source, answer: Answer): void {
  const buttons = document.querySelectorAll<HTMLElement>('[data-recoup-push]')
  const show = () => {
    const isOffered = Notification.permission !== 'denied' && readCartToken(context) !== undefined
    for (const each of buttons) each.hidden = !isOffered
    if (!isOffered) setTimeout(show, CHECK_EVERY_MS)
  }
  const hide = () => {
    for (const each of buttons) each.hidden = true
  }
  runSilently(async () => {
    await prepare(context, answer)
    for (const each of buttons) each.addEventListener('click', () => showBar(context, answer, hide))
    show()
  })
}

/** Nothing is asked or stored earlier (C9): the capture script or the plugin reports the cart first. */
function waitForConsent(source: Parameters<typeof readCartToken>[0], go: () => void): void {
  if (readCartToken(source)) go()
  else setTimeout(() => waitForConsent(source, go), CHECK_EVERY_MS)
}

function begin(): void {
  const script = document.currentScript as HTMLScriptElement | null
  const origin = script?.src.includes('/push/') ? new URL(script.src).origin : view.recoupSetup?.origin
  if (!origin) return
  const { method = 'easy', storeUrl = location.origin } = script?.dataset ?? {}
  const { key, mode } = view.recoupSetup ?? {}
  const go = () => runSilently(() => start({ origin, method, storeUrl }))
  if (mode === 'nothing' && key) waitForConsent({ method, memory: openMemory(key) }, go)
  else go()
}

begin()
