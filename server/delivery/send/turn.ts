import { setTimeout as sleep } from 'node:timers/promises'
import { ORDER_CHECK_FRESH_MS, subtractMs } from '../../access/stores/public.ts'
import { formatMonth } from '../../billing/billing/public.ts'
import { TOKEN_MS } from '../../carts/links/public.ts'
import {
  type Db,
  isDatabaseUnavailable,
  retryUntilAvailable,
  type StoreDb,
  type StoreTx,
  transact,
  transactAtOnce,
  useGenericPlans,
  withRetry,
} from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { buildNotSentOutcome, type Outcome } from '../../messages/channels/public.ts'
import { stateAfterAnswer } from '../../messages/messages/public.ts'
import { buildShopperLock, lockShoppersById } from '../../shoppers/shoppers/public.ts'
import { getPlanLimit, isPush, isText, type Ready } from '../decide/public.ts'
import type { SendResult } from '../outcome/public.ts'
import { type ChannelRules, createChannelRules, type Sendable } from './channel-rules.ts'
import type { SendContext } from './send-window.ts'
import type { Answer } from './settle.ts'
import { settle } from './settle.ts'
import type { CandidateRow, PreparedRow } from './turn-sql.ts'
import * as sql from './turn-sql.ts'

// Sends a batch, on every channel (decisions 147 and 149), in three writes. `prepare` writes content and links of the
// whole batch before any of it is sent. `take`, the turn, is one statement: it stores the replies received and moves the
// next messages to `sending`. `settle` (settle.ts) writes the results of replies (end, record, badge, next steps) for many
// messages at once, while later turns run.

const DAY_MS = 86_400_000
/** Replies that one settling transaction takes at most. */
const MAX_ANSWERS = 100

export interface Turn {
  sending: Set<string>
  at: Date
  failure: unknown
}

/** Sends one channel's part of a batch. */
export class Turns {
  readonly #deps: Deps
  readonly #store: StoreDb<Db>
  readonly #sender: SendContext
  readonly #rules: ChannelRules
  /** Replies that are committed and wait to be settled. */
  #answered: SendResult[] = []
  #answeredAt = 0
  #settling = new Set<Promise<void>>()
  /** `onReplies` of the previous turn. The next turn waits for it; the messages of its own turn do not (D5). */
  #notifying: Promise<void> = Promise.resolve()
  /** Prepared messages that have not been sent, by id. */
  readonly #unsent = new Map<string, Ready>()

  constructor(deps: Deps, store: StoreDb<Db>, sender: SendContext) {
    this.#deps = deps
    this.#store = store
    this.#sender = sender
    this.#rules = createChannelRules(deps, sender)
  }

  /** Writes content and links before the send. Returns the messages that may be sent. */
  async prepare(ready: readonly Ready[]): Promise<Ready[]> {
    if (ready.length === 0) return []
    const { claim, evaluation, channel } = this.#sender
    const { situation, month } = evaluation
    const prepare = async (tx: StoreTx) => {
      await useGenericPlans(tx)
      const allowed = await this.#withinFirstMails(tx, ready)
      await lockShoppersById(tx, ready.map(getShopperId))
      const now = this.#deps.now()
      const open = await this.#rules.admit(tx, allowed, now)
      const limits = { claim, now, tokensUntil: new Date(now.getTime() + TOKEN_MS) }
      const ids = await sql.prepare(tx, open.map(preparedRow), limits)
      const [prepared, others] = [true, false].map((is) => open.filter(({ row }) => ids.has(row.id) === is))
      await this.#rules.dismiss(tx, others!)
      await sql.ensureUsageRow(tx, { accountId: situation.account_id, month, channel })
      return prepared!
    }
    const prepared = await withRetry(() => transact(this.#store, prepare))
    for (const each of prepared) this.#unsent.set(each.row.id, each)
    return prepared
  }

  /** Drops first mails beyond a new account's limit. Their next decision holds them. */
  async #withinFirstMails(tx: StoreTx, ready: readonly Ready[]): Promise<readonly Ready[]> {
    const limit = ready.find(({ firstMailLimit }) => firstMailLimit !== null)?.firstMailLimit
    if (limit === null || limit === undefined) return ready
    const { account_id } = this.#sender.evaluation.situation
    let room = limit - (await sql.lockFirstMails(tx, account_id, subtractMs(this.#deps.now(), DAY_MS)))
    return ready.filter(({ firstMailLimit }) => firstMailLimit === null || room-- > 0)
  }

  /**
   * Stores these replies and starts the next messages in one commit. If that fails, it still records the replies: they
   * never come again.
   */
  async take(done: readonly SendResult[], next: readonly Ready[]): Promise<Turn> {
    await this.#notifying
    let at = this.#deps.now()
    const sendable = (): Sendable => {
      const now = this.#deps.now()
      at = now
      // After midnight of the month's last day, another month's limit applies: the messages are decided again.
      const isSameMonth = this.#sender.evaluation.month === formatMonth(now)
      return { now, ready: isSameMonth ? next.filter(({ isQuietAt }) => !isQuietAt(now)) : [] }
    }
    try {
      const sending = await withRetry(() => this.#turn(done, next, sendable))
      for (const id of sending) this.#unsent.delete(id)
      this.#notifying = this.#notifyChannel(done)
      this.#queueReplies(done)
      return { sending, at, failure: null }
    } catch (error) {
      this.#deps.log.error({ storeId: this.#store.storeId, err: error }, 'messages.turn-failed')
      const unsure = isDatabaseUnavailable(error) ? next.map((ready) => toUnsent(ready, at)) : []
      if (done.length + unsure.length > 0) await this.record([...done, ...unsure])
      return { sending: new Set(), at, failure: error }
    }
  }

  /** Waiting for locks may outlast the freshness of the order check; `send` checks it again (D3). */
  async #turn(done: readonly SendResult[], next: readonly Ready[], sendable: () => Sendable): Promise<Set<string>> {
    const { reserve } = this.#rules
    if (!reserve || next.length === 0) {
      const candidates = sendable()
      if (done.length + candidates.ready.length === 0) return new Set()
      const locks = buildShopperLock(this.#store.storeId, candidates.ready.map(getShopperId))
      return toIdSet(
        await transactAtOnce(
          this.#store,
          candidates.ready.length > 0 ? [locks] : [],
          this.#statement(done, candidates),
        ),
      )
    }
    return transact(this.#store, async (tx) => {
      await useGenericPlans(tx)
      await lockShoppersById(tx, next.map(getShopperId))
      const reservation = await reserve(tx, sendable)
      if (done.length + reservation.ready.length === 0) return new Set<string>()
      const sending = toIdSet((await this.#statement(done, reservation).execute(tx.db)).rows)
      await reservation.book(sending)
      return sending
    })
  }

  #statement(done: readonly SendResult[], { ready, now }: Sendable) {
    const { claim, evaluation, channel, mail } = this.#sender
    const { situation, month, capSince } = evaluation
    const rows = {
      answered: done.map((finished) => ({
        id: finished.ready.row.id,
        sending_at: finished.sendingAt,
        answer: toAnswer(finished, mail?.isMailbox ?? false),
      })),
      candidates: ready.map((each) => candidateRow(each, this.#rules.own(each, now))),
    }
    const limits = {
      claim,
      workerId: this.#deps.workerId,
      now,
      localCopySince: subtractMs(now, ORDER_CHECK_FRESH_MS),
      capSince,
      capMax: situation.cap_messages,
      accountId: situation.account_id,
      month,
      channel,
      // A channel with `reserve` has applied the limit there.
      planLimit: this.#rules.reserve ? -1 : getPlanLimit(situation, channel),
    }
    return sql.turnStatement(this.#store.storeId, rows, limits, this.#rules)
  }

  /** Queues committed replies and settles them in groups, at the latest after `longestWaitMs`. */
  #queueReplies(done: readonly SendResult[]): void {
    const now = this.#deps.now().getTime()
    if (this.#answered.length === 0) this.#answeredAt = now
    this.#answered.push(...done)
    const isOld = Math.abs(now - this.#answeredAt) >= this.#rules.longestWaitMs
    if (this.#answered.length > 0 && (isOld || this.#answered.length >= MAX_ANSWERS)) this.#startSettling([])
  }

  #startSettling(last: readonly SendResult[]): void {
    const all = [...this.#answered.splice(0), ...last]
    if (all.length === 0) return
    const settling = this.#settle(all).finally(() => this.#settling.delete(settling))
    this.#settling.add(settling)
  }

  /** Settles all queued replies and these last ones, whose slots this queue does not reuse. Never throws. */
  async flush(last: readonly SendResult[]): Promise<void> {
    this.#startSettling(last)
    await Promise.all([this.#notifying, ...this.#settling])
    if (last.length > 0) await this.#notifyChannel(last)
  }

  /** Settles all queued replies and frees the probes of unsent messages. Nothing is sent afterwards. */
  async end(): Promise<void> {
    await this.flush([])
    await this.#dismissProbes()
  }

  /** Settles replies outside a turn, for example late ones. Never throws. */
  async record(done: readonly SendResult[]): Promise<void> {
    await this.#settle(done)
    await this.#notifyChannel(done)
  }

  /** Settles with retries. If all fail, `abandoned.ts` closes the messages later. */
  async #settle(done: readonly SendResult[]): Promise<void> {
    for (let attempt = 1; attempt <= 3; attempt++) {
      try {
        return void (await retryUntilAvailable(() => settle(this.#deps, this.#store, this.#sender, done)))
      } catch (error) {
        // One message that cannot be settled must not block the others.
        if (attempt === 2 && done.length > 1) return this.#settleOneByOne(done)
        const ids = done.map(({ ready }) => ready.row.id)
        this.#deps.log.error(
          { storeId: this.#store.storeId, messageIds: ids, err: error, attempt },
          'message.outcome-not-recorded',
        )
        await sleep(attempt * 200)
      }
    }
  }

  async #settleOneByOne(done: readonly SendResult[]): Promise<void> {
    for (const each of done) await this.#settle([each])
  }

  /** Logs committed replies and calls the channel's `onReplies`. Never throws. */
  async #notifyChannel(done: readonly SendResult[]): Promise<void> {
    for (const { ready, outcome } of done)
      this.#deps.log.info(
        { storeId: this.#store.storeId, messageId: ready.row.id, outcome: outcome.kind },
        'message.answered',
      )
    if (done.length > 0) await this.#rules.onReplies(done).catch((error) => this.#noteFailure(error))
  }

  /** Frees the probes of messages that were not sent. */
  async #dismissProbes(): Promise<void> {
    const probes = [...this.#unsent.values()].filter(this.#rules.isProbe)
    if (probes.length === 0) return
    await transact(this.#store, (tx) => this.#rules.dismiss(tx, probes)).catch((error) => this.#noteFailure(error))
  }

  #noteFailure(error: unknown): void {
    this.#deps.log.error({ err: error }, 'messages.answers-not-noted')
  }
}

/**
 * For a turn whose commit may have happened although the connection broke. Nothing was sent, so the message is due
 * again.
 */
function toUnsent(ready: Ready, sendingAt: Date): SendResult {
  return { ready, sendingAt, answeredAt: sendingAt, outcome: buildNotSentOutcome('the database was unreachable.') }
}

const getShopperId = ({ row }: Ready): string => row.shopper_id
const toIdSet = (rows: readonly { id: string }[]): Set<string> => new Set(rows.map(({ id }) => id))

// Maps ready messages to the rows of the two statements before a send. Pure.

/** The content that `prepare` writes before the send. */
function preparedRow({ row, address, composed, coupon, decision, inputs, firstMailLimit }: Ready): PreparedRow {
  const { template_id, template_version, variant_id } = row
  return {
    id: row.id,
    to_address: address,
    coupon_id: coupon?.couponId ?? null,
    coupon_code: coupon?.code ?? null,
    ...contentColumns(composed),
    template_id,
    template_version,
    variant_id,
    is_first_mail: firstMailLimit !== null,
    judged: { reason: decision.reason, inputs },
    tokens: composed.tokens,
  }
}

function contentColumns(composed: Ready['composed']): Pick<PreparedRow, 'subject' | 'body_html' | 'body_text'> {
  if (isPush(composed)) return { subject: composed.payload.title, body_html: null, body_text: composed.payload.body }
  if (isText(composed)) return { subject: null, body_html: null, body_text: composed.text }
  return { subject: composed.subject, body_html: composed.html, body_text: composed.text }
}

/** The values that the turn checks again. `own` holds those of the channel's rules. */
const candidateRow = (ready: Ready, own: object): CandidateRow => ({
  id: ready.row.id,
  shopper_id: ready.row.shopper_id,
  cart_version: ready.row.cart_version,
  address_hash: ready.addressHash,
  other_hashes: ready.otherHashes,
  coupon_id: ready.coupon?.couponId ?? null,
  coupon_code: ready.coupon?.code ?? null,
  coupon_wording: ready.coupon?.wording ?? null,
  inputs: { consentBasis: ready.inputs.consentBasis ?? null },
  own,
})

const toAnswer = ({ outcome, answeredAt }: { outcome: Outcome; answeredAt: Date }, isMailbox: boolean): Answer => ({
  state: stateAfterAnswer[outcome.kind],
  at: answeredAt.toISOString(),
  outcome,
  isMailbox,
})
