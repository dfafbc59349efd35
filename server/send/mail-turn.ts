import { setTimeout as sleep } from 'node:timers/promises'
import { monthOf } from '../billing/rules.ts'
import { channelTraits } from '../channels/traits.ts'
import { type Db, keepPlans, type StoreDb, type StoreTx, transact, transactAtOnce } from '../core/db.ts'
import { isDatabaseAway, outlast, withRetry } from '../core/db-away.ts'
import { planLimitOf } from '../decide/decision-inputs.ts'
import type { Ready } from '../decide/evaluate.ts'
import { noteOutcomes, openThrottle, passThrottle, unsent } from '../deliverability/throttles.ts'
import type { Deps } from '../deps.ts'
import { TOKEN_MS } from '../links/message-tokens.ts'
import type { Finished } from '../outcome/outcome.ts'
import { lockingShoppers, lockShoppersOf } from '../shoppers/shoppers.ts'
import { before, ORDER_CHECK_FRESH_MS } from '../stores/rules.ts'
import * as sql from './mail-turn-sql.ts'
import { goingRow, preparedRow } from './send-row.ts'
import type { Sender } from './send-window.ts'
import { answerOf, settle } from './settle.ts'
import { neverLeft, shopperOf, type Turn, type Turns } from './turns.ts'

// Mails (decisions 147 and 149). What may be written before is written before, for the whole batch; a turn is one statement, which writes what came
// back and lets others leave; what follows from sends and answers is written for many at once, beside the turns after.

const DAY_MS = 86_400_000
/** So many answers are written down together. */
const MOST_ANSWERS = 100
/** What was answered is not left for longer while others leave, ms. */
const LONGEST_WAIT_MS = 500

export function mailTurns(deps: Deps, store: StoreDb<Db>, sender: Sender): Turns {
  const turns = new MailTurns(deps, store, sender)
  return {
    prepare: (ready) => turns.prepare(ready),
    take: (done, next) => turns.take(done, next),
    record: (done) => turns.record(done),
    flush: (last) => turns.flush(last),
    end: () => turns.end(),
  }
}

class MailTurns {
  readonly #deps: Deps
  readonly #store: StoreDb<Db>
  readonly #sender: Sender
  readonly #throttle
  /** Answered in a turn, and what follows not written down yet. */
  #answered: Finished[] = []
  #answeredAt = 0
  #writing = new Set<Promise<void>>()
  /** What mail servers answered, of the turn before. The next one holds to it; what leaves in its own is not kept from the wire by it (D5). */
  #noting: Promise<void> = Promise.resolve()
  /** May leave, and have not. */
  readonly #ahead = new Map<string, Ready>()

  constructor(deps: Deps, store: StoreDb<Db>, sender: Sender) {
    this.#deps = deps
    this.#store = store
    this.#sender = sender
    this.#throttle = openThrottle(sender.evaluation.situation.account_id)
  }

  async prepare(ready: readonly Ready[]): Promise<Ready[]> {
    if (ready.length === 0) return []
    const { claim, evaluation } = this.#sender
    const { situation, month } = evaluation
    const prepare = async (tx: StoreTx) => {
      await keepPlans(tx)
      const allowed = await this.#withinFirstMails(tx, ready)
      await lockShoppersOf(tx, ready.map(shopperOf))
      const now = this.#deps.now()
      const open = await passThrottle(tx, this.#throttle, allowed, now)
      const tokensUntil = new Date(now.getTime() + TOKEN_MS)
      const limits = { claim, now, tokensUntil }
      const ids = await sql.prepareMails(tx, open.map(preparedRow), limits)
      await unsent(tx, this.#throttle, open, ids)
      await sql.haveCounter(tx, situation.account_id, month)
      return open.filter(({ row }) => ids.has(row.id))
    }
    const prepared = await withRetry(() => transact(this.#store, prepare))
    for (const each of prepared) this.#ahead.set(each.row.id, each)
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

  async take(done: readonly Finished[], next: readonly Ready[]): Promise<Turn> {
    await this.#noting
    let at = this.#deps.now()
    const turn = () => {
      at = this.#deps.now()
      return this.#turn(done, next, at)
    }
    try {
      const submitted = await withRetry(turn)
      for (const id of submitted) this.#ahead.delete(id)
      this.#noting = this.#note(done)
      this.#keep(done)
      return { submitted, at, failure: null }
    } catch (error) {
      this.#deps.log.error({ storeId: this.#store.storeId, err: error }, 'messages.turn-failed')
      const unsure = isDatabaseAway(error) ? next.map((ready) => neverLeft(ready, at)) : []
      if (done.length + unsure.length > 0) await this.record([...done, ...unsure])
      return { submitted: new Set(), at, failure: error }
    }
  }

  /** What waiting for locks has made too old meanwhile is found by the last look before the wire (D3). */
  async #turn(done: readonly Finished[], next: readonly Ready[], now: Date): Promise<Set<string>> {
    const { storeId } = this.#store
    const { claim, evaluation, mail } = this.#sender
    const { situation, month, capSince } = evaluation
    // Midnight passed in between: the new month has a limit of its own.
    const going = month === monthOf(now) ? next.filter(({ isQuietAt }) => !isQuietAt(now)) : []
    const answered = done.map((finished) => ({
      id: finished.ready.row.id,
      sending_at: finished.sendingAt,
      answer: answerOf(finished, mail?.isMailbox ?? false),
    }))
    if (answered.length + going.length === 0) return new Set()
    const turn = sql.turnOf(
      storeId,
      { answered, going: going.map(goingRow) },
      {
        claim,
        workerId: this.#deps.workerId,
        now,
        localCopySince: before(now, ORDER_CHECK_FRESH_MS),
        capSince,
        capMax: situation.cap_messages,
        accountId: situation.account_id,
        month,
        planLimit: planLimitOf(situation, 'email'),
      },
    )
    const locks = lockingShoppers(storeId, going.map(shopperOf))
    const rows = await transactAtOnce(this.#store, going.length > 0 ? [locks] : [], turn)
    return new Set(rows.map(({ id }) => id))
  }

  /** What was answered is committed, and what follows from it may wait a little, but not for long. */
  #keep(done: readonly Finished[]): void {
    const now = this.#deps.now().getTime()
    if (this.#answered.length === 0) this.#answeredAt = now
    this.#answered.push(...done)
    const isOld = Math.abs(now - this.#answeredAt) >= LONGEST_WAIT_MS
    if (this.#answered.length > 0 && (isOld || this.#answered.length >= MOST_ANSWERS)) this.#write([])
  }

  #write(last: readonly Finished[]): void {
    const all = [...this.#answered.splice(0), ...last]
    if (all.length === 0) return
    const writing = this.#writeDown(all).finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
  }

  async flush(last: readonly Finished[]): Promise<void> {
    this.#write(last)
    await Promise.all([this.#noting, ...this.#writing])
    if (last.length > 0) await this.#note(last)
  }

  async end(): Promise<void> {
    await this.flush([])
    await this.#giveBackProbes()
  }

  async record(done: readonly Finished[]): Promise<void> {
    await this.#writeDown(done)
    await this.#note(done)
  }

  /** What cannot be written down after all is closed by `abandoned.ts`. */
  async #writeDown(done: readonly Finished[]): Promise<void> {
    const badge = channelTraits.email.badge
    for (let attempt = 1; attempt <= 3; attempt++) {
      try {
        return await outlast(() => settle(this.#deps, this.#store, { ...this.#sender, badge }, done))
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

  /** What mail servers answered, once it is committed: never throws. */
  async #note(done: readonly Finished[]): Promise<void> {
    const { mail } = this.#sender
    for (const { ready, outcome } of done)
      this.#deps.log.info(
        { storeId: this.#store.storeId, messageId: ready.row.id, outcome: outcome.kind },
        'message.answered',
      )
    const note = (error: unknown) => this.#deps.log.error({ err: error }, 'messages.throttles-not-noted')
    await noteOutcomes(this.#deps, this.#throttle, done).catch(note)
    if (mail && done.length > 0) await mail.note(done.map(({ outcome }) => outcome)).catch(note)
  }

  /** What did not leave after all tries for nobody. */
  async #giveBackProbes(): Promise<void> {
    const ahead = [...this.#ahead.values()].filter(({ row }) => this.#throttle.probes.has(row.id))
    if (ahead.length === 0) return
    const note = (error: unknown) => this.#deps.log.error({ err: error }, 'messages.throttles-not-noted')
    await transact(this.#store, (tx) => unsent(tx, this.#throttle, ahead, new Set())).catch(note)
  }
}
