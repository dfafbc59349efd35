import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  addCertificateHint,
  findRightsProblems,
  getProblemText,
  KEYS_UNREADABLE_TEXT,
  type RightsProblem,
  STORE_PROBLEM_TEXT,
  type StoreProblemCode,
} from '../../../shared/access/store-problems.ts'
import {
  type CaptureStatus,
  getDetectionText,
  limitText,
  WITHOUT_SCRIPT_TEXT,
} from '../../../shared/carts/capture-status.ts'
import type { Check } from '../../../shared/core/checks.ts'
import { platformCopy } from '../../../shared/platforms/platform-words.ts'
import { capabilities, type PlatformName } from '../../../shared/platforms/platforms.ts'
import { pluginTexts } from '../../../shared/platforms/plugin-texts.ts'
import type { CaptureMode } from '../../../shared/shoppers/capture-mode.ts'
import type { ConsentBoxes } from '../../../shared/shoppers/consent-box.ts'
import {
  explainFirewall,
  isAlive,
  isCalling,
  isPushOnly,
  isReporting,
  type PluginRow,
  queueWake,
  reachJob,
  readPlugin,
} from '../../access/plugin/public.ts'
import * as sql from '../../access/stores/public.ts'
import { homeColumns, openStoreClient, pickNewest, toProfileColumns } from '../../access/stores/public.ts'
import { readCaptureStatus } from '../../carts/capture/public.ts'
import { listWebhooks, readStreams, webhooksJob } from '../../carts/sync/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { type Db, type Limit, type StoreDb, takePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  type StoreClient,
  StoreProblem,
  type StoreProfile,
  type WebhookSubscription,
} from '../../platforms/platform/public.ts'
import { findPlatform } from '../../platforms/registry/public.ts'
import { readBoxes } from '../../shoppers/consent/public.ts'
import { buildConsentChecks } from './consent-checks.ts'
import { buildPluginChecks } from './plugin-checks.ts'
import { buildPriceChecks } from './price-checks.ts'

// Runs the connection doctor on request. It asks the store once; the rest comes from earlier observations.

/** Per store, for all members: each run costs the shop half a dozen requests. */
const EXAMINATIONS: Limit = { name: 'doctor-store', points: 20, windowS: 900 }
const LIMIT_MS = 25_000

export async function examineStore(deps: Deps, store: StoreDb<Db>) {
  const row = requireFound(await sql.readStore(store), 'Store')
  if (!row.is_active) throw new AppError('conflict', 'This store is not connected.')
  await takePoint(deps, EXAMINATIONS, store.storeId)
  const storeAnswer = await askStore(deps, store)
  if (storeAnswer.kind === 'answered') await saveChanges(deps, row, storeAnswer.profile)
  const plugin = (await readPlugin(store)) ?? null
  if (plugin && !plugin.ended_at && plugin.is_reached !== (storeAnswer.kind === 'answered')) {
    await deps.jobs.enqueue(deps.db, reachJob, { storeId: store.storeId }, store.storeId)
  }
  // Requests a fresh plugin report, for the next run.
  if (plugin && !isRecent(plugin.beat_at, deps.now())) await queueWake(deps, store, 'check')
  const findings: Findings = {
    now: deps.now(),
    platform: row.platform,
    storeAnswer,
    known: { version: row.version, captureSeenAt: row.capture_seen_at, connectedAt: row.connected_at },
    capture: await readCaptureStatus(deps, store),
    beforeConsent: row.before_consent,
    boxes: await readBoxes(store),
    publicUrl: deps.config.publicUrl,
    isReachableByStore: row.is_demo || findPlatform(row.platform).canDeliverTo(deps.config.publicUrl),
    webhooks: await listWebhooks(store),
    streams: await readStreams(store),
    plugin,
  }
  if (needsNewWebhooks(findings)) {
    await deps.jobs.enqueue(deps.db, webhooksJob, { storeId: store.storeId }, store.storeId)
  }
  return { at: findings.now.toISOString(), checks: doctorChecks(findings) }
}

const isRecent = (at: Date | null, now: Date): boolean => at !== null && now.getTime() - at.getTime() < 60_000

/** Writes only changes, so that it does not wait for a lock on the store without need. */
async function saveChanges(deps: Pick<Deps, 'db'>, row: sql.StoreRow, profile: StoreProfile): Promise<void> {
  const columns = { ...toProfileColumns(profile), ...homeColumns(row.platform, profile) }
  const names = Object.keys(columns) as (keyof typeof columns)[]
  if (names.every((name) => isDeepStrictEqual(columns[name], row[name]))) return
  await sql.updateStore({ accountId: row.account_id, db: deps.db }, row.id, columns)
}

/** Errors of the store are results; errors of ours are thrown. */
async function askStore(deps: Pick<Deps, 'db' | 'secrets' | 'storeClient'>, store: StoreDb<Db>): Promise<StoreAnswer> {
  const ended = new AbortController()
  try {
    const client = await openStoreClient(deps, store)
    const signal = AbortSignal.any([AbortSignal.timeout(LIMIT_MS), ended.signal])
    // Requests to one store are serialized, so ours may not have begun yet.
    const late = sleep(LIMIT_MS, undefined, { signal: ended.signal, ref: false }).then(() => {
      throw new StoreProblem('timeout')
    })
    late.catch(() => undefined)
    const profile = await Promise.race([client.readProfile(signal), late])
    const hooks = await Promise.race([readWebhooks(client), late])
    return { kind: 'answered', profile, hooks }
  } catch (error) {
    if (error instanceof StoreProblem) return { kind: 'problem', code: error.code, detail: error.detail }
    if (error instanceof AppError && error.code === 'store_credentials') {
      return { kind: 'problem', code: 'keys_unreadable', detail: null }
    }
    throw error
  } finally {
    ended.abort()
  }
}

/** An unreadable list must not fail the other checks. */
function readWebhooks(client: StoreClient): Promise<WebhookSubscription[] | null> {
  return client.webhooks().catch((error) => {
    if (error instanceof StoreProblem) return null
    throw error
  })
}

// The connection doctor: turns the store's live answer and earlier observations into texts. Pure.

type StoreAnswer =
  /** `hooks`: null if the list could not be read. */
  | { kind: 'answered'; profile: StoreProfile; hooks: WebhookSubscription[] | null }
  | { kind: 'problem'; code: StoreProblemCode | 'keys_unreadable'; detail: string | null }

interface Findings {
  now: Date
  platform: PlatformName
  storeAnswer: StoreAnswer
  /** Last known values, used when the store does not answer. */
  known: { version: string; captureSeenAt: Date | null; connectedAt: Date }
  capture: CaptureStatus
  /** null: not chosen yet. */
  beforeConsent: CaptureMode | null
  boxes: ConsentBoxes
  publicUrl: string
  /** Whether the store can deliver webhooks to this server. */
  isReachableByStore: boolean
  webhooks: readonly { topic: string; webhook_id: string; last_delivery_at: Date | null }[]
  streams: readonly StreamState[]
  plugin: PluginRow | null
}

interface StreamState {
  stream: string
  failures: number
  completed_at: Date | null
  failed_at: Date | null
  error_code: string | null
  error_detail: string | null
  lease_until: Date | null
}

type CheckResult = Pick<Check, 'state' | 'finding'> & Partial<Check>

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS
/** A sweep is due every 15 minutes, and a failed one again after 5. */
const SYNC_PATIENCE_MS = 30 * MINUTE_MS
const MIN_VERSION = 5

/** In the order of a connection: each check depends on the ones before it. */
function doctorChecks(found: Findings): Check[] {
  const results: [id: string, title: string, said: CheckResult][] = [
    ...buildPluginChecks(found, (at) => ago(at, found.now)),
    ['reachable', 'Store reachable', checkReach(found)],
    ['version', platformCopy[found.platform].doctor.version, checkVersion(found)],
    ['keys', 'Keys', checkKeys(found)],
    ['permissions', 'Key permissions', checkPermissions(found)],
    ...rightsChecks(found),
    ['webhooks', 'Webhooks', checkWebhooks(found)],
    ['capture', 'Tracking script', checkCapture(found)],
    ...buildPriceChecks(found),
    ...buildConsentChecks(found, (at) => ago(at, found.now)),
    // A shop that cannot be reached is never synced.
    ['sync', isReported(found) === undefined ? 'Last order sync' : 'Orders from the plugin', checkSync(found)],
    ['clock', 'Store clock', checkClock(found)],
  ]
  const nothingMore = { nextStep: null, answer: null, record: null }
  return results.map(([id, title, result]) => ({ id, title, ...nothingMore, ...result }))
}

type CheckId = 'reachable' | 'keys' | 'permissions' | 'clock'

/** The check that a problem belongs to; earlier checks have passed. */
const checkOfProblem: Partial<Record<StoreProblemCode | 'keys_unreadable', CheckId>> = {
  wrong_key: 'keys',
  wrong_secret: 'keys',
  shopify_secret_wrong: 'keys',
  shopify_token_revoked: 'keys',
  shopify_app_not_installed: 'keys',
  shopify_wrong_organization: 'keys',
  shopify_scopes_missing: 'permissions',
  shopify_protected_data: 'permissions',
  needs_signing: 'keys',
  sign_in_lost: 'keys',
  keys_unreadable: 'keys',
  no_rights: 'permissions',
  read_only_key: 'permissions',
  clock_skew: 'clock',
}

function findProblem({ storeAnswer, plugin, now }: Findings): { part: CheckId; result: CheckResult } | null {
  if (storeAnswer.kind === 'answered') return null
  const { code, detail } = storeAnswer
  const part = checkOfProblem[code] ?? 'reachable'
  if (code === 'keys_unreadable') {
    const nextStep = 'Press “Replace keys” and enter the store’s keys.'
    return { part, result: { state: 'bad', finding: KEYS_UNREADABLE_TEXT, nextStep } }
  }
  const firewallFinding = isCalling(plugin ?? undefined, now) ? explainFirewall(code) : undefined
  // The check of the plugin’s reports has the next step.
  if (firewallFinding) return { part, result: { state: 'warn', finding: firewallFinding, answer: detail } }
  const { sentence, nextStep } = STORE_PROBLEM_TEXT[code]
  const finding = code === 'certificate' ? addCertificateHint(sentence) : sentence
  const isPassing = code === 'rate_limited' || code === 'maintenance'
  return { part, result: { state: isPassing ? 'warn' : 'bad', finding, nextStep, answer: detail } }
}

const buildUnchecked = (why: string): CheckResult => ({ state: 'quiet', finding: `Could not be checked: ${why}.` })

function checkReach(found: Findings): CheckResult {
  const problem = findProblem(found)
  if (problem?.part === 'reachable') return problem.result
  return { state: 'good', finding: platformCopy[found.platform].doctor.reachable }
}

function checkVersion({ storeAnswer, known, platform, plugin, now }: Findings): CheckResult {
  const version = storeAnswer.kind === 'answered' ? storeAnswer.profile.version : known.version
  if (!capabilities[platform].drafts) {
    return {
      state: version === '' ? 'quiet' : 'good',
      finding: version === '' ? 'Not known yet.' : `${version}. ${CHECKOUT_DETECTION_TEXT}`,
    }
  }
  if (version === '') return { state: 'quiet', finding: 'The store does not report its version.' }
  const major = Number(/^\d+/.exec(version)?.[0] ?? Number.NaN)
  if (major < MIN_VERSION) {
    return {
      state: 'bad',
      finding: `WooCommerce ${version} is too old: 5.0 or later is needed.`,
      nextStep: 'Back up your site, then update WooCommerce in WordPress under Plugins.',
    }
  }
  if (storeAnswer.kind === 'problem') return { state: 'quiet', finding: `Could not be checked now. It was ${version}.` }
  const hasPlugin = isAlive(plugin ?? undefined, now)
  return {
    state: 'good',
    finding: `WooCommerce ${version}. ${getDetectionText({ ...storeAnswer.profile, hasPlugin })}`,
  }
}

function checkKeys(found: Findings): CheckResult {
  const problem = findProblem(found)
  if (problem?.part === 'reachable') return buildUnchecked('the store did not answer')
  if (problem?.part === 'clock') return buildUnchecked('the store refuses every signature because its clock is wrong')
  if (problem?.part === 'keys') return problem.result
  return { state: 'good', finding: platformCopy[found.platform].doctor.keys }
}

function checkPermissions(found: Findings): CheckResult {
  const problem = findProblem(found)
  if (problem?.part === 'permissions') return problem.result
  if (problem?.part === 'reachable') return buildUnchecked('the store did not answer')
  if (problem?.part === 'clock') return buildUnchecked('the store refuses every signature because its clock is wrong')
  if (found.storeAnswer.kind === 'problem') return buildUnchecked('the keys do not work')
  const { canWrite, rights } = found.storeAnswer.profile
  if (canWrite && !rights?.missingScopes.length) {
    return { state: 'good', finding: platformCopy[found.platform].doctor.permissions }
  }
  const [scopes] = findRightsProblems(found.storeAnswer.profile.rights)
  const { sentence, nextStep } = scopes ?? STORE_PROBLEM_TEXT.read_only_key
  return { state: 'warn', finding: `${sentence} Reading carts and orders works.`, nextStep }
}

const CHECKOUT_DETECTION_TEXT = 'Checkouts are detected once a shopper enters an email address or phone number.'

/** Rights of plan and app beyond the keys; empty where a platform has none. */
function rightsChecks({ storeAnswer }: Findings): [id: string, title: string, said: CheckResult][] {
  if (storeAnswer.kind === 'problem' || !storeAnswer.profile.rights) return []
  const { rights } = storeAnswer.profile
  const lacking = new Map(findRightsProblems(rights).map((problem) => [problem.code, problem]))
  const createResult = (code: RightsProblem, good: string, state: CheckResult['state']): CheckResult => {
    const problem = lacking.get(code)
    return problem ? { state, finding: problem.sentence, nextStep: problem.nextStep } : { state: 'good', finding: good }
  }
  return [
    [
      'data',
      'Shopper data',
      createResult('data', `Plan ${rights.planName}: names, emails and phone numbers are readable.`, 'bad'),
    ],
    ['history', 'Order history', createResult('orders', 'All orders are readable.', 'quiet')],
    ['storefront', 'Storefront', createResult('password', 'Not password-protected.', 'warn')],
  ]
}

/** Webhooks are missing or disabled, and we can create them again. */
function needsNewWebhooks(found: Findings): boolean {
  if (
    !found.isReachableByStore ||
    found.storeAnswer.kind === 'problem' ||
    !maySubscribe(found, found.storeAnswer.profile)
  )
    return false
  const { missing, disabled } = compareWebhooks(found.storeAnswer.hooks, found.webhooks)
  return found.storeAnswer.hooks !== null && (found.webhooks.length === 0 || missing + disabled > 0)
}

/** If a store signs with the secret of its keys, read access is enough. */
const maySubscribe = ({ platform }: Findings, { canWrite }: StoreProfile): boolean =>
  canWrite || capabilities[platform].webhooks === 'keys'

function compareWebhooks(present: WebhookSubscription[] | null, webhooks: Findings['webhooks']) {
  const states = webhooks.map(({ webhook_id }) => present?.find(({ id }) => id === webhook_id)?.status)
  return {
    missing: states.filter((status) => status === undefined).length,
    disabled: states.filter((status) => status !== undefined && status !== 'active').length,
  }
}

function checkWebhooks(found: Findings): CheckResult {
  const { storeAnswer, webhooks, now, publicUrl } = found
  const hasPlugin = isAlive(found.plugin ?? undefined, now)
  if (!found.isReachableByStore && hasPlugin) {
    return {
      state: 'quiet',
      finding: `Not needed: the plugin reports orders at once. WooCommerce delivers webhooks to public addresses only, and ${publicUrl} is not public.`,
    }
  }
  if (!found.isReachableByStore) {
    return {
      state: 'quiet',
      finding: `The store cannot reach ${publicUrl}, which is not a public address. Nothing is missed: orders are synced every 15 minutes and before each message.`,
    }
  }
  const lastAt = pickNewest(webhooks.map((each) => each.last_delivery_at))
  if (storeAnswer.kind === 'problem' && isReported(found)) {
    return { state: 'quiet', finding: 'Not needed: the plugin reports orders while Recoup cannot reach the shop.' }
  }
  if (storeAnswer.kind === 'problem')
    return buildUnchecked(lastAt ? `the last one was received ${ago(lastAt, now)}` : 'none has been received yet')
  if (!maySubscribe(found, storeAnswer.profile)) {
    return {
      state: 'warn',
      finding: 'The key cannot create webhooks, so orders are synced only every 15 minutes and before each message.',
      nextStep: STORE_PROBLEM_TEXT.read_only_key.nextStep,
    }
  }
  if (storeAnswer.hooks === null) return buildUnchecked('the store did not list them')
  const { missing, disabled } = compareWebhooks(storeAnswer.hooks, webhooks)
  if (disabled > 0) {
    return {
      state: 'bad',
      finding: `${platformCopy[found.platform].doctor.sender} disabled ${disabled} of ${webhooks.length} webhooks because deliveries to ${publicUrl} failed.`,
      nextStep: `We are recreating them. Run this check again in a minute. If it happens again, ask your host to let the store reach ${publicUrl}.`,
    }
  }
  if (webhooks.length === 0 || missing > 0) {
    return {
      state: 'warn',
      finding: webhooks.length === 0 ? 'Webhooks are not set up yet.' : 'Some webhooks are missing from the store.',
      nextStep: 'We are creating them now. Run this check again in a minute.',
    }
  }
  if (!lastAt && hasPlugin) {
    return {
      state: 'quiet',
      finding:
        'Webhooks are set up, but none has been received yet. Nothing is missed: the plugin reports orders at once.',
    }
  }
  if (!lastAt) {
    return {
      state: 'warn',
      finding: 'Webhooks are set up, but none has been received yet.',
      nextStep: platformCopy[found.platform].doctor.noDelivery,
    }
  }
  return { state: 'good', finding: `The last webhook was received ${ago(lastAt, now)}.` }
}

function checkCapture({ known, capture, now, plugin }: Findings): CheckResult {
  const { captureSeenAt } = known
  if (isAlive(plugin ?? undefined, now)) {
    const limits = limitText(capture)
    const finding = `Not needed: the plugin reports carts.${limits ? ` ${limits}` : ''}`
    return { state: limits ? 'warn' : 'good', finding }
  }
  if (!captureSeenAt) {
    return {
      state: 'warn',
      finding: `The script has not reported yet. ${WITHOUT_SCRIPT_TEXT}.`,
      nextStep: 'Add the script to your shop’s pages: “How to install it” below shows how for each theme.',
    }
  }
  if (now.getTime() - captureSeenAt.getTime() > DAY_MS) {
    return {
      state: 'warn',
      finding: `The last report came ${ago(captureSeenAt, now)}. The shop had no visitors since, or the script was removed from its pages.`,
      nextStep: 'Open your shop once and run this again. If nothing changes, install the script below again.',
    }
  }
  const lastReport = `The last report came ${ago(captureSeenAt, now)}.`
  const limits = limitText(capture)
  if (!limits) return { state: 'good', finding: lastReport }
  return {
    state: 'warn',
    finding: `${lastReport} ${limits}`,
    nextStep:
      'If many of your customers share one network, no action is needed: their orders confirm them. If not, a bot may be filling in your checkout.',
  }
}

const ORDER_STREAMS = ['order_check', 'sweep', 'import']
const OUTDATED = 'this version of the plugin does not report stock and prices'

/** undefined: the shop is asked directly. Otherwise whether its plugin reports orders, stock and prices. */
function isReported({ plugin, streams, now }: Findings): boolean | undefined {
  const check = streams.find(({ stream }) => stream === 'order_check')
  return plugin && !plugin.ended_at && isPushOnly(plugin, check) ? isReporting(plugin, now) : undefined
}

function checkSync(found: Findings): CheckResult {
  const { streams, now, known } = found
  const orders = streams.filter(({ stream }) => ORDER_STREAMS.includes(stream))
  const doneAt = pickNewest(orders.map((each) => each.completed_at))
  const reported = isReported(found)
  // The check of the shop's reachability has the next step.
  if (reported) {
    const finding = 'The plugin reports new orders. Recoup reads older ones once it reaches the shop.'
    return { state: 'quiet', finding }
  }
  if (reported === false) {
    const isOutdated = found.plugin?.reports_goods === false
    const silence = doneAt ? 'the plugin does not report now' : 'the plugin has not reported orders yet'
    return {
      state: 'warn',
      finding: `Recoup cannot reach the shop, and ${isOutdated ? OUTDATED : silence}. Messages wait.`,
      nextStep: isOutdated ? pluginTexts.updatePlugin : pluginTexts.reportsByCron,
    }
  }
  const isRunning = orders.some(({ lease_until }) => lease_until && lease_until > now)
  const failed = orders
    .filter(({ error_code, failed_at }) => error_code && failed_at && (!doneAt || failed_at > doneAt))
    .sort((one, other) => other.failed_at!.getTime() - one.failed_at!.getTime())[0]
  if (failed) {
    return {
      state: 'bad',
      finding: `It failed ${ago(failed.failed_at!, now)}. ${getProblemText(failed.error_code!, null)}`,
      answer: failed.error_detail,
      nextStep: 'We retry automatically every few minutes. “Sync now” retries immediately.',
    }
  }
  const waitedMs = now.getTime() - (doneAt ?? known.connectedAt).getTime()
  if (waitedMs > SYNC_PATIENCE_MS && !isRunning) {
    return {
      state: 'bad',
      finding: doneAt ? `The last complete sync was ${ago(doneAt, now)}.` : 'Orders have never been synced.',
      nextStep:
        'Orders should sync every 15 minutes. Ask the server’s administrator to check that a worker is running.',
    }
  }
  if (!doneAt) return { state: 'quiet', finding: 'The first import is running.' }
  return { state: 'good', finding: `Complete ${ago(doneAt, now)}.` }
}

function checkClock(found: Findings): CheckResult {
  const problem = findProblem(found)
  if (problem?.part === 'clock') return problem.result
  if (found.storeAnswer.kind === 'problem') return buildUnchecked('only a signed request shows the store’s time')
  const { clockSkewMs } = found.storeAnswer.profile
  if (Math.abs(clockSkewMs) <= CLOCK_TOLERANCE_MS) {
    return { state: 'good', finding: 'The store’s clock is correct to within five minutes.' }
  }
  const minutes = Math.round(Math.abs(clockSkewMs) / MINUTE_MS)
  return {
    state: 'warn',
    finding: `The store’s clock is ${minutes} minutes ${clockSkewMs > 0 ? 'ahead of' : 'behind'} ours, so its order times are off by the same amount.`,
    nextStep:
      'Ask your host to synchronize the server’s clock with NTP. With a difference of 15 minutes or more, a store without https refuses our keys.',
  }
}

function ago(at: Date, now: Date): string {
  const minutes = Math.max(0, Math.round((now.getTime() - at.getTime()) / MINUTE_MS))
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} ago`
  const hours = Math.round(minutes / 60)
  if (hours < 48) return `${hours} ${hours === 1 ? 'hour' : 'hours'} ago`
  return `${Math.round(hours / 24)} days ago`
}
