import type { ThrottledDomain } from '../../../shared/delivery/sending.ts'
import { notifyAccount } from '../../access/notifications/public.ts'
import { type AccountDb, type StoreTx, transactAccount } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type Outcome, removeAddresses } from '../../messages/channels/public.ts'
import { getDomain } from '../email/public.ts'
import {
  classifyReply,
  classifyReport,
  type DomainAnswer,
  findPauseEnd,
  isLasting,
  updateAfterRefusal,
} from './throttle-rules.ts'
import * as sql from './throttles-sql.ts'

// Throttles receiving domains that defer or block an account's mail, longer each time. After the pause one message
// probes the domain while the others are held. This never resends a refused message (D1); it only decides when the next
// one may be sent.

/** The throttled domains and probes of one store's batch. */
export interface Throttle {
  accountId: string
  /** Domains that have a row. */
  known: Set<string>
  /** Ids of the messages that probe their domain. */
  probes: Set<string>
}

export const openThrottle = (accountId: string): Throttle => ({ accountId, known: new Set(), probes: new Set() })

/** Longer than any mail server may take to reply. After it, the probe of a crashed process is void. */
const PROBE_MS = 10 * 60_000

interface Sendable {
  row: { id: string }
  address: string
}

/**
 * Returns the messages that may be sent now. The caller sends in the same transaction, so a domain never has two probes
 * at once.
 */
export async function passThrottle<Each extends Sendable>(
  tx: StoreTx,
  throttle: Throttle,
  ready: readonly Each[],
  now: Date,
): Promise<Each[]> {
  const domains = [...new Set(ready.map(({ address }) => getDomain(address)))]
  const rows = new Map((await sql.lockThrottles(tx, throttle.accountId, domains)).map((row) => [row.domain, row]))
  if (rows.size === 0) return [...ready]
  const probes = new Map<string, string>()
  const passed = ready.filter(({ row, address }) => {
    const domain = getDomain(address)
    const throttled = rows.get(domain)
    if (throttled) throttle.known.add(domain)
    if (!throttled?.paused_until) return true
    if (findPauseEnd(throttled, now) || probes.has(domain)) return false
    probes.set(domain, row.id)
    return true
  })
  if (probes.size > 0) {
    const list = [...probes].map(([domain, id]) => ({ domain, id }))
    await sql.setProbes(tx, throttle.accountId, list, new Date(now.getTime() + PROBE_MS))
    for (const { id } of list) throttle.probes.add(id)
  }
  return passed
}

/** Frees the probes of messages that were not sent. */
export async function freeProbes(
  tx: StoreTx,
  throttle: Throttle,
  passed: readonly Sendable[],
  sending: ReadonlySet<string>,
) {
  const ids = passed.map(({ row }) => row.id).filter((id) => throttle.probes.has(id) && !sending.has(id))
  if (ids.length > 0) await sql.endProbes({ accountId: throttle.accountId, db: tx.db }, ids)
  for (const id of ids) throttle.probes.delete(id)
}

interface DomainReply {
  messageId: string
  domain: string
  answer: DomainAnswer | null
  text: string
}

/** Applies mail servers' replies after their commit. Locks only the domains' rows. */
export async function noteOutcomes(
  deps: Pick<Deps, 'db' | 'log' | 'now'>,
  throttle: Throttle,
  done: readonly { ready: Sendable; outcome: Outcome }[],
): Promise<void> {
  const replies = done.map(({ ready, outcome }) => ({
    messageId: ready.row.id,
    domain: getDomain(ready.address),
    answer: classifyReply(outcome),
    text: outcome.response,
  }))
  const affectsThrottle = ({ answer, domain, messageId }: DomainReply) =>
    throttle.known.has(domain) || throttle.probes.has(messageId) || (answer !== null && answer !== 'open')
  const relevant = replies.filter(affectsThrottle)
  if (relevant.length === 0) return
  for (const { domain } of relevant) throttle.known.add(domain)
  await applyReplies(deps, throttle.accountId, relevant)
  for (const { messageId } of relevant) throttle.probes.delete(messageId)
}

/** Applies a later delivery report like a reply. */
export async function noteReport(
  deps: Pick<Deps, 'db' | 'log' | 'now'>,
  mail: { id: string; account_id: string; to_address: string },
  report: { kind: string; status: string | null; words: string },
): Promise<void> {
  const answer = classifyReport(report.kind, report.status, report.words)
  if (!answer) return
  const domain = getDomain(mail.to_address)
  await applyReplies(deps, mail.account_id, [{ messageId: mail.id, domain, answer, text: report.words }])
}

/** The paused domains and the times of their next probes, for the owner. */
export async function viewThrottledDomains(account: AccountDb, now: Date): Promise<ThrottledDomain[]> {
  return (await sql.listThrottledDomains(account)).map((row) => ({
    domain: row.domain,
    kind: row.kind,
    since: row.since.toISOString(),
    triesAt: row.probe_until && row.probe_until > now ? null : (row.paused_until?.toISOString() ?? null),
    answer: row.answer,
  }))
}

async function applyReplies(
  deps: Pick<Deps, 'db' | 'log' | 'now'>,
  accountId: string,
  replies: readonly DomainReply[],
): Promise<void> {
  const now = deps.now()
  await transactAccount({ accountId, db: deps.db }, async (tx) => {
    const domains = [...new Set(replies.map(({ domain }) => domain))]
    const rows = new Map((await sql.lockThrottles(tx, accountId, domains)).map((row) => [row.domain, row]))
    const withoutVerdict = replies.filter(({ answer }) => answer === null).map(({ messageId }) => messageId)
    if (withoutVerdict.length > 0 && rows.size > 0) await sql.endProbes(tx, withoutVerdict)
    for (const [domain, answers] of Map.groupBy(replies, (each) => each.domain)) {
      await applyDomainReplies(deps, tx, { domain, answers, row: rows.get(domain), now })
    }
  })
}

type Tx = Parameters<typeof sql.reopen>[0]

async function applyDomainReplies(
  deps: Pick<Deps, 'log'>,
  tx: Tx,
  {
    domain,
    answers,
    row,
    now,
  }: { domain: string; answers: readonly DomainReply[]; row: sql.DomainThrottleRow | undefined; now: Date },
): Promise<void> {
  // The domain accepted one of them, so it is open.
  if (answers.some(({ answer }) => answer === 'open')) {
    if (row) for (const each of await sql.reopen(tx, [domain])) await notifyReopened(tx, each, now)
    return
  }
  let current = row
  for (const { answer, messageId, text } of answers) {
    if (answer === null || answer === 'open') continue
    const isProbe = current !== undefined && current.probe_id === messageId
    const next = updateAfterRefusal(current ? toThrottleState(current) : null, answer, { now, isProbe })
    const needsNotice = next.pauses > 0 && isLasting(next, now) && !current?.told_at
    current = {
      domain,
      kind: next.kind,
      weight: next.weight,
      pauses: next.pauses,
      since: next.since,
      paused_until: next.pausedUntil,
      probe_id: isProbe ? null : (current?.probe_id ?? null),
      probe_until: isProbe ? null : (current?.probe_until ?? null),
      answer: removeAddresses(text),
      updated_at: now,
      told_at: needsNotice ? now : (current?.told_at ?? null),
    }
    await sql.saveThrottle(tx, { ...current, isProbe })
    if (needsNotice) await notifyThrottled(tx, current, now)
  }
  if (current?.paused_until) {
    deps.log.info(
      { accountId: tx.accountId, domain, pauses: current.pauses, kind: current.kind },
      'messages.domain-throttled',
    )
  }
}

const toThrottleState = (row: sql.DomainThrottleRow) => ({
  kind: row.kind,
  weight: row.weight,
  pauses: row.pauses,
  since: row.since,
  pausedUntil: row.paused_until,
  updatedAt: row.updated_at,
})

function notifyThrottled(tx: Tx, { domain, kind, answer, since }: sql.DomainThrottleRow, now: Date): Promise<void> {
  const data = { domain, kind, since: since.toISOString(), answer }
  return notifyAccount(tx, { type: 'domain_throttled', data, at: now })
}

const notifyReopened = (tx: Tx, domain: string, now: Date): Promise<void> =>
  notifyAccount(tx, { type: 'domain_reopened', data: { domain }, at: now })
