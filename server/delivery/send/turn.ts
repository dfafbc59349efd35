import { setTimeout as sleep } from 'node:timers/promises'
import { monthOf } from '../../billing/billing/rules.ts'
import { notSent } from '../../messages/channels/not-sent.ts'
import { type Db, keepPlans, type StoreDb, type StoreTx, transact, transactAtOnce } from '../../core/db/db.ts'
import { isDatabaseAway, outlast, withRetry } from '../../core/db/db-away.ts'
import { planLimitOf } from '../decide/decision-inputs.ts'
import type { Ready } from '../decide/evaluate.ts'
import type { Deps } from '../../deps.ts'
import { TOKEN_MS } from '../../carts/links/message-tokens.ts'
import type { Finished } from '../outcome/outcome.ts'
import { lockingShoppers, lockShoppersOf } from '../../shoppers/shoppers/shoppers.ts'
import { before, ORDER_CHECK_FRESH_MS } from '../../access/stores/rules.ts'
import { type ChannelRules, rulesOf, type Sendable } from './channel-rules.ts'
import { chosenRow, preparedRow } from './send-row.ts'
import type { Sender } from './send-window.ts'
import { answerOf, settle } from './settle.ts'
import * as sql from './turn-sql.ts'

// Sends a batch, on every channel (decisions 147 and 149), in three writes. `prepare` writes content and links of the whole batch before any of it is
// sent. `take`, the turn, is one statement: it stores the answers that came and moves the next messages to `sending`. `settle` (settle.ts) writes what
// follows from answers (end, record, badge, next steps) for many messages at once, while later turns run.

const DAY_MS = 86_400_000
/** So many answers are written down together. */
const MOST_ANSWERS = 100

export interface Turn {
  sending: Set<string>
  at: Date
  failure: unknown
}

/** Sends one channel's part of a batch. */
export class Turns {
  readonly #deps: Deps
  readonly #store: StoreDb<Db>
  readonly #sender: Sender
  readonly #rules: ChannelRules
  /** Answers that are committed and wait to be settled. */
  #answered: Finished[] = []
  #answeredAt = 0
  #writing = new Set<Promise<void>>()
  /** `learn` of the turn before: the next turn waits for it, the messages of its own turn do not (D5). */
  #learning: Promise<void> = Promise.resolve()
  /** May be sent, and have not been. */
  readonly #unsent = new Map<string, Ready>()

  constructor(deps: Deps, store: StoreDb<Db>, sender: Sender) {
    this.#deps = deps
    this.#store = store
    this.#sender = sender
    this.#rules = rulesOf(deps, sender)
  }

  /** Before anything is sent. Answers those that may be. */
  async prepare(ready: readonly Ready[]): Promise<Ready[]> {
    if (ready.length === 0) return []
    const { claim, evaluation, channel } = this.#sender
    const { situation, month } = evaluation
    const prepare = async (tx: StoreTx) => {
      await keepPlans(tx)
      const allowed = await this.#withinFirstMails(tx, ready)
      await lockShoppersOf(tx, ready.map(shopperOf))
      const now = this.#deps.now()
      const open = await this.#rules.admit(tx, allowed, now)
      const limits = { claim, now, tokensUntil: new Date(now.getTime() + TOKEN_MS) }
      const ids = await sql.prepare(tx, open.map(preparedRow), limits)
      const [prepared, others] = [true, false].map((is) => open.filter(({ row }) => ids.has(row.id) === is))
      await this.#rules.dismiss(tx, others!)
      await sql.haveCounter(tx, { accountId: situation.account_id, month, channel })
      return prepared!
    }
    const prepared = await withRetry(() => transact(this.#store, prepare))
    for (const each of prepared) this.#unsent.set(each.row.id, each)
    return prepared
  }

  /** First mails beyond what a new account may send are not prepared, and held when they are decided again. */
  async #withinFirstMails(tx: StoreTx, ready: readonly Ready[]): Promise<readonly Ready[]> {
    const limit = ready.find(({ firstMailLimit }) => firstMailLimit !== null)?.firstMailLimit
    if (limit === null || limit === undefined) return ready
    const { account_id } = this.#sender.evaluation.situation
    let room = limit - (await sql.lockFirstMails(tx, account_id, before(this.#deps.now(), DAY_MS)))
    return ready.filter(({ firstMailLimit }) => firstMailLimit === null || room-- > 0)
  }

  /** One commit writes these answers and the sends of others. When it fails, the answers are still written down: they cannot be had again. */
  async take(done: readonly Finished[], next: readonly Ready[]): Promise<Turn> {
    await this.#learning
    let at = this.#deps.now()
    const sendable = (): Sendable => {
      const now = this.#deps.now()
      at = now
      // Midnight passed in between: the new month has a limit of its own.
      const isSameMonth = this.#sender.evaluation.month === monthOf(now)
      return { now, ready: isSameMonth ? next.filter(({ isQuietAt }) => !isQuietAt(now)) : [] }
    }
    try {
      const sending = await withRetry(() => this.#turn(done, next, sendable))
      for (const id of sending) this.#unsent.delete(id)
      this.#learning = this.#learn(done)
      this.#keep(done)
      return { sending, at, failure: null }
    } catch (error) {
      this.#deps.log.error({ storeId: this.#store.storeId, err: error }, 'messages.turn-failed')
      const unsure = isDatabaseAway(error) ? next.map((ready) => neverSent(ready, at)) : []
      if (done.length + unsure.length > 0) await this.record([...done, ...unsure])
      return { sending: new Set(), at, failure: error }
    }
  }

  /** What waiting for locks has made too old meanwhile is found by the last look before the send (D3). */
  async #turn(done: readonly Finished[], next: readonly Ready[], sendable: () => Sendable): Promise<Set<string>> {
    const { reserve } = this.#rules
    if (!reserve || next.length === 0) {
      const chosen = sendable()
      if (done.length + chosen.ready.length === 0) return new Set()
      const locks = lockingShoppers(this.#store.storeId, chosen.ready.map(shopperOf))
      return idSetOf(
        await transactAtOnce(this.#store, chosen.ready.length > 0 ? [locks] : [], this.#statement(done, chosen)),
      )
    }
    return transact(this.#store, async (tx) => {
      await keepPlans(tx)
      await lockShoppersOf(tx, next.map(shopperOf))
      const chosen = await reserve(tx, sendable)
      if (done.length + chosen.ready.length === 0) return new Set<string>()
      const sending = idSetOf((await this.#statement(done, chosen).execute(tx.db)).rows)
      await chosen.book(sending)
      return sending
    })
  }

  #statement(done: readonly Finished[], { ready, now }: Sendable) {
    const { claim, evaluation, channel, mail } = this.#sender
    const { situation, month, capSince } = evaluation
    const rows = {
      answered: done.map((finished) => ({
        id: finished.ready.row.id,
        sending_at: finished.sendingAt,
        answer: answerOf(finished, mail?.isMailbox ?? false),
      })),
      chosen: ready.map((each) => chosenRow(each, this.#rules.own(each, now))),
    }
    const limits = {
      claim,
      workerId: this.#deps.workerId,
      now,
      localCopySince: before(now, ORDER_CHECK_FRESH_MS),
      capSince,
      capMax: situation.cap_messages,
      accountId: situation.account_id,
      month,
      channel,
      // A channel that reserves has counted them already.
      planLimit: this.#rules.reserve ? -1 : planLimitOf(situation, channel),
    }
    return sql.turnOf(this.#store.storeId, rows, limits, this.#rules)
  }

  /** Settles committed answers, many at once: they wait for others, but not for long (`longestWaitMs`). */
  #keep(done: readonly Finished[]): void {
    const now = this.#deps.now().getTime()
    if (this.#answered.length === 0) this.#answeredAt = now
    this.#answered.push(...done)
    const isOld = Math.abs(now - this.#answeredAt) >= this.#rules.longestWaitMs
    if (this.#answered.length > 0 && (isOld || this.#answered.length >= MOST_ANSWERS)) this.#write([])
  }

  #write(last: readonly Finished[]): void {
    const all = [...this.#answered.splice(0), ...last]
    if (all.length === 0) return
    const writing = this.#writeDown(all).finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
  }

  /** All that was answered is written down to its end, with these last ones, whose places nobody takes in this batch. Never throws. */
  async flush(last: readonly Finished[]): Promise<void> {
    this.#write(last)
    await Promise.all([this.#learning, ...this.#writing])
    if (last.length > 0) await this.#learn(last)
  }

  /** The same, and nothing more is sent. */
  async end(): Promise<void> {
    await this.flush([])
    await this.#dismissProbes()
  }

  /** Writes down what became of what is not waited for any longer. Never throws. */
  async record(done: readonly Finished[]): Promise<void> {
    await this.#writeDown(done)
    await this.#learn(done)
  }

  /** What cannot be written down after all is closed by `abandoned.ts`. */
  async #writeDown(done: readonly Finished[]): Promise<void> {
    for (let attempt = 1; attempt <= 3; attempt++) {
      try {
        return void (await outlast(() => settle(this.#deps, this.#store, this.#sender, done)))
      } catch (error) {
        // One that cannot be written keeps the others from nothing.
        if (attempt === 2 && done.length > 1) return this.#writeDownApart(done)
        const ids = done.map(({ ready }) => ready.row.id)
        this.#deps.log.error(
          { storeId: this.#store.storeId, messageIds: ids, err: error, attempt },
          'message.outcome-not-recorded',
        )
        await sleep(attempt * 200)
      }
    }
  }

  async #writeDownApart(done: readonly Finished[]): Promise<void> {
    for (const each of done) await this.#writeDown([each])
  }

  /** Once these answers are committed: never throws. */
  async #learn(done: readonly Finished[]): Promise<void> {
    for (const { ready, outcome } of done)
      this.#deps.log.info(
        { storeId: this.#store.storeId, messageId: ready.row.id, outcome: outcome.kind },
        'message.answered',
      )
    if (done.length > 0) await this.#rules.learn(done).catch((error) => this.#noteFailure(error))
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

/** The commit may have happened though its answer never came. Nothing was sent: it is due again. */
function neverSent(ready: Ready, sendingAt: Date): Finished {
  return { ready, sendingAt, answeredAt: sendingAt, outcome: notSent('the database was unreachable.') }
}

const shopperOf = ({ row }: Ready): string => row.shopper_id
const idSetOf = (rows: readonly { id: string }[]): Set<string> => new Set(rows.map(({ id }) => id))
