import { setTimeout as sleep } from 'node:timers/promises'
import type { CampaignView } from '../shared/marketing/campaigns.ts'
import type { TestStore } from '../test/factories.ts'
import { buildCampaignInput } from './campaign-planning.ts'
import { type Arrivals, type Helper, startEmptyShops, startRecipientsSink } from './helpers.ts'
import type { AppInstance, Lab } from './lab.ts'
import { type Server, startServer } from './server.ts'

// A started product with a store of many abandoned carts: one permanent web process, one process with both roles that
// sends and can be killed, fake shops, and a mail server that records recipients. Other stores have a single reminder
// each.

const PEOPLE = 100_000
/** Connections to the mail server. */
export const POOL = 5
const SINGLES = 8
/** Delay until a requested reminder is due. */
const DUE_IN_MS = 1_000

interface Single {
  storeId: string
  email: string
  due: number | null
}

interface Progress {
  isPlanned: boolean
  /** Planning progress; null: no page yet. */
  cursor: string | null
  plannedAt: number | null
}

export class CampaignScene {
  readonly lab: Lab
  readonly instance: AppInstance
  readonly sink: Helper
  readonly store: TestStore
  readonly total: number
  readonly #shops: Helper
  readonly #singles: Single[]
  readonly #web: Server
  worker: Server

  private constructor(parts: {
    lab: Lab
    instance: AppInstance
    sink: Helper
    shops: Helper
    store: TestStore
    singles: Single[]
    web: Server
    worker: Server
  }) {
    this.lab = parts.lab
    this.instance = parts.instance
    this.sink = parts.sink
    this.store = parts.store
    this.total = parts.lab.sized(PEOPLE)
    this.#shops = parts.shops
    this.#singles = parts.singles
    this.#web = parts.web
    this.worker = parts.worker
  }

  static async open(lab: Lab): Promise<CampaignScene> {
    const instance = await lab.open({ poolSize: 4 })
    const [sink, shops] = await Promise.all([startRecipientsSink(), startEmptyShops()])
    const singles: Single[] = []
    for (let n = 0; n < SINGLES; n++)
      singles.push(await openSingleStore(instance, `http://127.0.0.1:${shops.port}/other${n}`, n))
    const store = await instance.store({ url: `http://127.0.0.1:${shops.port}/large` })
    const total = lab.sized(PEOPLE)
    lab.say(`writing ${total.toLocaleString('en-US')} carts`)
    await instance.carts(store, { count: total, isAllOpen: true })
    const env = buildEnv(instance, sink)
    const worker = await startServer(env)
    const web = await startServer({ ...env, ROLES: 'web' })
    return new CampaignScene({ lab, instance, sink, shops, store, singles, web, worker })
  }

  async close(): Promise<void> {
    await Promise.all([this.worker.stop(), this.#web.stop()])
    await Promise.all([this.sink.stop(), this.#shops.stop()])
    await this.instance.close()
  }

  async startWorker(): Promise<void> {
    this.worker = await startServer(buildEnv(this.instance, this.sink))
  }

  async ask(method: string, path: string, body?: object): Promise<{ campaign: CampaignView }> {
    const reply = await fetch(`${this.#web.url}/api/campaigns${path}`, {
      method,
      headers: { authorization: `Bearer ${this.store.token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`)
    return (await reply.json()) as { campaign: CampaignView }
  }

  /** Returns the campaign's id. */
  async create(name: string, startDate: string, timeOfDay: string): Promise<string> {
    return (await this.ask('POST', '', buildCampaignInput(name, startDate, timeOfDay))).campaign.id
  }

  arrivals(message: object = {}): Promise<Arrivals> {
    return this.sink.ask<Arrivals>(message)
  }

  async progressOf(campaignId: string): Promise<Progress> {
    const { rows } = await this.instance.pool.query<{ cursor_id: string | null; planned_at: Date | null }>(
      'select cursor_id, planned_at from campaign_runs where store_id = $1 and campaign_id = $2',
      [this.store.storeId, campaignId],
    )
    const [row] = rows
    const plannedAt = row?.planned_at?.getTime() ?? null
    return { isPlanned: plannedAt !== null, cursor: row?.cursor_id ?? null, plannedAt }
  }

  /** D6: every planned person is in exactly one state at all times. */
  async countedUp(campaignId: string): Promise<CampaignView> {
    const { campaign } = await this.ask('GET', `/${campaignId}`)
    const { planned, ...parts } = campaign.counts
    const sum = Object.values(parts).reduce((all, part) => all + part, 0)
    if (sum !== planned) throw new Error(`D6: ${JSON.stringify(campaign.counts)} add up to ${sum}`)
    return campaign
  }

  /** Makes the next single reminder of another store due. */
  async remind(): Promise<void> {
    const single = this.#singles.find(({ due }) => due === null)
    if (!single) throw new Error('no other store has a reminder left')
    single.due = Date.now() + DUE_IN_MS
    await setDue(this.instance, single.storeId, new Date(single.due))
  }

  /** Delay of each due reminder in seconds; Infinity: not received. */
  async lateness(): Promise<number[]> {
    const late: number[] = []
    for (const { email, due } of this.#singles) {
      if (due === null) continue
      const { at } = await this.arrivals({ of: email })
      if (at && at.length > 1) throw new Error('a single reminder arrived twice')
      late.push(at?.length ? (at[0]! - due) / 1_000 : Number.POSITIVE_INFINITY)
    }
    return late
  }

  /** Open rows by state and reason. */
  async #open(): Promise<string> {
    const { rows } = await this.instance.pool.query(
      `select state, reason, count(*)::int as rows, count(distinct worker_id)::int as workers, min(wake_at) as first, max(wake_at) as last
      from messages where store_id = $1 and origin_kind = 'campaign' and state in ('scheduled', 'held', 'claimed', 'sending')
      group by 1, 2`,
      [this.store.storeId],
    )
    return `at ${new Date().toISOString()}: ${JSON.stringify(rows)}`
  }

  /** Polls until the condition is true; throws after `withinMs` without progress. */
  async until(what: string, condition: () => Promise<unknown>, { withinMs = 120_000, everyMs = 25 } = {}) {
    let last: unknown = null
    let movedAt = Date.now()
    for (;;) {
      const answer = await condition()
      if (answer === true) return
      if (answer !== last) [last, movedAt] = [answer, Date.now()]
      if (Date.now() - movedAt > withinMs)
        throw new Error(`${what}: stands still at ${String(answer)}\n${await this.#open()}`)
      await sleep(everyMs)
    }
  }
}

const buildEnv = ({ url }: AppInstance, sink: Helper) => ({
  DATABASE_URL: url,
  SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
  SMTP_POOL: String(POOL),
  // All processes share one public URL; another URL would count as a copy of the installation (D7).
  PUBLIC_URL: 'http://localhost:5100',
})

/** Opens a store with one abandoned cart, a unique address, and a reminder that is due in a day. */
async function openSingleStore(instance: AppInstance, url: string, n: number): Promise<Single> {
  const store = await instance.store({ url })
  const { storeId } = store
  await instance.carts(store, { count: 1, ready: 1 })
  const email = `single${n}@singles.example`
  await instance.pool.query('update shoppers set email = $2 where store_id = $1', [storeId, email])
  await instance.pool.query(`update shopper_keys set value = $2 where store_id = $1 and kind = 'email'`, [
    storeId,
    email,
  ])
  await instance.pool.query('update carts set email = $2 where store_id = $1', [storeId, email])
  await setDue(instance, storeId, new Date(Date.now() + 86_400_000))
  return { storeId, email, due: null }
}

async function setDue({ pool }: AppInstance, storeId: string, at: Date): Promise<void> {
  await pool.query(
    `update messages set due_at = $2::timestamptz, wake_at = $2, expires_at = $2::timestamptz + interval '24 hours'
    where store_id = $1 and step = 1`,
    [storeId, at],
  )
  await pool.query('update send_schedule set next_due_at = $2 where store_id = $1', [storeId, at])
}
