import type { Check } from '../../shared/checks.ts'
import { STORE_PROBLEM_WORDS, type StoreProblemCode, withCertificateHint } from '../../shared/store-problems.ts'
import type { StoreProfile, WebhookSubscription } from '../platforms/platform.ts'
import { KEYS_UNREADABLE_WORDS, newest, problemWords } from './rules.ts'

// The connection doctor: from what a store answered just now and what was heard of it before, to words. Pure.

export type Asked =
  /** `hooks`: null when the list could not be had. */
  | { kind: 'answered'; profile: StoreProfile; hooks: WebhookSubscription[] | null }
  | { kind: 'problem'; code: StoreProblemCode | 'keys_unreadable'; detail: string | null }

export interface Findings {
  now: Date
  asked: Asked
  /** As last known, for what could not be asked. */
  known: { version: string; captureSeenAt: Date | null; connectedAt: Date }
  publicUrl: string
  /** Whether the store could deliver webhooks to us at all. */
  isReachableByStore: boolean
  kept: readonly { topic: string; webhook_id: string; last_delivery_at: Date | null }[]
  streams: readonly StreamState[]
}

interface StreamState {
  stream: string
  completed_at: Date | null
  failed_at: Date | null
  error_code: string | null
  error_detail: string | null
  lease_until: Date | null
}

type Said = Pick<Check, 'state' | 'finding'> & Partial<Check>

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS
/** A sweep is due every 15 minutes, and a failed one again after 5. */
const SYNC_PATIENCE_MS = 30 * MINUTE_MS
const LEAST_VERSION = 5

/** In the order of the way in: each makes sense only once those before it hold. */
export function doctorChecks(found: Findings): Check[] {
  const said: [id: string, title: string, said: Said][] = [
    ['reachable', 'Store answers', ofReach(found)],
    ['version', 'WooCommerce version', ofVersion(found)],
    ['keys', 'Keys', ofKeys(found)],
    ['permissions', 'Permissions of the key', ofPermissions(found)],
    ['webhooks', 'Notices from the store', ofWebhooks(found)],
    ['capture', 'Capture script', ofCapture(found)],
    ['sync', 'Last reading of orders', ofSync(found)],
    ['clock', 'Clock', ofClock(found)],
  ]
  return said.map(([id, title, words]) => ({
    id,
    title,
    nextStep: null,
    answer: null,
    record: null,
    ...words,
  }))
}

type Part = 'reachable' | 'keys' | 'permissions' | 'clock'

/** Which check a problem belongs to; whatever is before it on the way has been passed. */
const partOf: Partial<Record<StoreProblemCode | 'keys_unreadable', Part>> = {
  wrong_key: 'keys',
  wrong_secret: 'keys',
  needs_signing: 'keys',
  sign_in_lost: 'keys',
  keys_unreadable: 'keys',
  no_rights: 'permissions',
  read_only_key: 'permissions',
  clock_skew: 'clock',
}

function problemOf({ asked }: Findings): { part: Part; said: Said } | null {
  if (asked.kind === 'answered') return null
  const { code, detail } = asked
  const part = partOf[code] ?? 'reachable'
  if (code === 'keys_unreadable') {
    const nextStep = 'Connect the store again with its keys.'
    return { part, said: { state: 'bad', finding: KEYS_UNREADABLE_WORDS, nextStep } }
  }
  const { sentence, nextStep } = STORE_PROBLEM_WORDS[code]
  const finding = code === 'certificate' ? withCertificateHint(sentence) : sentence
  return { part, said: { state: code === 'rate_limited' ? 'warn' : 'bad', finding, nextStep, answer: detail } }
}

const notAsked = (why: string): Said => ({ state: 'quiet', finding: `Could not be checked: ${why}.` })

function ofReach(found: Findings): Said {
  const problem = problemOf(found)
  if (problem?.part === 'reachable') return problem.said
  return { state: 'good', finding: 'The store answers, and WooCommerce is there.' }
}

function ofVersion({ asked, known }: Findings): Said {
  const version = asked.kind === 'answered' ? asked.profile.version : known.version
  if (version === '') return { state: 'quiet', finding: 'The store does not tell its version.' }
  const major = Number(/^\d+/.exec(version)?.[0] ?? Number.NaN)
  if (major < LEAST_VERSION) {
    return {
      state: 'bad',
      finding: `WooCommerce ${version} is too old: 5.0 or later is needed.`,
      nextStep: 'Update WooCommerce in WordPress under Plugins, after a backup.',
    }
  }
  if (asked.kind === 'problem') return { state: 'quiet', finding: `Could not be asked now; it was ${version}.` }
  const drafts = asked.profile.hasEarlyDrafts
    ? 'It shows carts from the opened checkout on.'
    : 'It shows a cart only once “Place order” was pressed; earlier ones come by the capture script.'
  return { state: 'good', finding: `WooCommerce ${version}. ${drafts}` }
}

function ofKeys(found: Findings): Said {
  const problem = problemOf(found)
  if (problem?.part === 'reachable') return notAsked('the store did not answer')
  if (problem?.part === 'clock') return notAsked('the store’s clock makes it refuse every signature')
  if (problem?.part === 'keys') return problem.said
  return { state: 'good', finding: 'The store knows the key and accepts its secret.' }
}

function ofPermissions(found: Findings): Said {
  const problem = problemOf(found)
  if (problem?.part === 'permissions') return problem.said
  if (found.asked.kind === 'problem') return notAsked('the store let nobody in')
  if (found.asked.profile.canWrite) {
    return { state: 'good', finding: 'The key may read, and write: coupons and notices are possible.' }
  }
  const { sentence, nextStep } = STORE_PROBLEM_WORDS.read_only_key
  return { state: 'warn', finding: `${sentence} Reading carts and orders works.`, nextStep }
}

/** What the store would have to send is missing or switched off, and could be made anew by us. */
export function needsNewWebhooks(found: Findings): boolean {
  if (!found.isReachableByStore || found.asked.kind === 'problem' || !found.asked.profile.canWrite) return false
  const { missing, disabled } = hooksOf(found.asked.hooks, found.kept)
  return found.asked.hooks !== null && (found.kept.length === 0 || missing + disabled > 0)
}

function hooksOf(present: WebhookSubscription[] | null, kept: Findings['kept']) {
  const states = kept.map(({ webhook_id }) => present?.find(({ id }) => id === webhook_id)?.status)
  return {
    missing: states.filter((status) => status === undefined).length,
    disabled: states.filter((status) => status !== undefined && status !== 'active').length,
  }
}

function ofWebhooks(found: Findings): Said {
  const { asked, kept, now, publicUrl } = found
  if (!found.isReachableByStore) {
    return {
      state: 'quiet',
      finding: `A store cannot send anything to ${publicUrl}, an address it does not see from the internet. Nothing is missed: orders are read every 15 minutes, and before each message.`,
    }
  }
  const lastAt = newest(kept.map((each) => each.last_delivery_at))
  if (asked.kind === 'problem') return notAsked(lastAt ? `the last one came ${ago(lastAt, now)}` : 'none has come yet')
  if (!asked.profile.canWrite) {
    return {
      state: 'warn',
      finding: 'The key may not set up notices, so orders are only read every 15 minutes and before each message.',
      nextStep: STORE_PROBLEM_WORDS.read_only_key.nextStep,
    }
  }
  if (asked.hooks === null) return notAsked('the store did not list them')
  const { missing, disabled } = hooksOf(asked.hooks, kept)
  if (disabled > 0) {
    return {
      state: 'bad',
      finding: `WooCommerce switched off ${disabled} of ${kept.length} notices, because deliveries to ${publicUrl} failed.`,
      nextStep: `We are making them anew; run this again in a minute. If it happens again, your host has to let the store reach ${publicUrl}.`,
    }
  }
  if (kept.length === 0 || missing > 0) {
    return {
      state: 'warn',
      finding: kept.length === 0 ? 'Notices are not set up yet.' : 'Some notices are gone from the store.',
      nextStep: 'We are making them now; run this again in a minute.',
    }
  }
  if (!lastAt) {
    return {
      state: 'warn',
      finding: 'Notices are set up, but none has come yet.',
      nextStep:
        'Change any order in WooCommerce, wait two minutes and run this again. If none comes, WordPress’s scheduled tasks do not run: see Tools → Site Health.',
    }
  }
  return { state: 'good', finding: `The last notice came ${ago(lastAt, now)}.` }
}

function ofCapture({ known, now }: Findings): Said {
  const { captureSeenAt } = known
  if (!captureSeenAt) {
    return {
      state: 'warn',
      finding: 'The script was never heard from, so carts left before “Place order” are not seen.',
      nextStep: 'Copy the script below into your theme, before </head>, and open your shop once.',
    }
  }
  if (now.getTime() - captureSeenAt.getTime() > DAY_MS) {
    return {
      state: 'warn',
      finding: `Nothing was heard from it since ${ago(captureSeenAt, now)}: nobody visited the shop, or the script is gone from its pages.`,
      nextStep:
        'Open your shop once and run this again. If nothing changes, put the script below into your theme again.',
    }
  }
  return { state: 'good', finding: `Last heard from ${ago(captureSeenAt, now)}.` }
}

const ORDER_STREAMS = ['fence', 'sweep', 'import']

function ofSync({ streams, now, known }: Findings): Said {
  const orders = streams.filter(({ stream }) => ORDER_STREAMS.includes(stream))
  const doneAt = newest(orders.map((each) => each.completed_at))
  const isRunning = orders.some(({ lease_until }) => lease_until && lease_until > now)
  const failed = orders
    .filter(({ error_code, failed_at }) => error_code && failed_at && (!doneAt || failed_at > doneAt))
    .sort((one, other) => other.failed_at!.getTime() - one.failed_at!.getTime())[0]
  if (failed) {
    return {
      state: 'bad',
      finding: `It failed ${ago(failed.failed_at!, now)}. ${problemWords(failed.error_code!, null)}`,
      answer: failed.error_detail,
      nextStep: 'We try again every few minutes by ourselves; “Sync now” tries at once.',
    }
  }
  const waitedMs = now.getTime() - (doneAt ?? known.connectedAt).getTime()
  if (waitedMs > SYNC_PATIENCE_MS && !isRunning) {
    return {
      state: 'bad',
      finding: doneAt ? `The last complete one was ${ago(doneAt, now)}.` : 'The orders were never read.',
      nextStep: 'It should happen every 15 minutes: whoever runs this server checks that a worker is running.',
    }
  }
  if (!doneAt) return { state: 'quiet', finding: 'The first reading is under way.' }
  return { state: 'good', finding: `Complete ${ago(doneAt, now)}.` }
}

function ofClock(found: Findings): Said {
  const problem = problemOf(found)
  if (problem?.part === 'clock') return problem.said
  if (found.asked.kind === 'problem') return notAsked('only an answer to a signed request tells the store’s time')
  const { clockSkewMs } = found.asked.profile
  if (Math.abs(clockSkewMs) <= CLOCK_TOLERANCE_MS) {
    return { state: 'good', finding: 'The store’s clock and ours agree within five minutes.' }
  }
  const minutes = Math.round(Math.abs(clockSkewMs) / MINUTE_MS)
  return {
    state: 'warn',
    finding: `The store’s clock is ${minutes} minutes ${clockSkewMs > 0 ? 'ahead of' : 'behind'} ours, so the times of its orders are off by as much.`,
    nextStep:
      'Ask your host to have the server’s clock set by NTP. From 15 minutes on, a store without https refuses our keys.',
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
