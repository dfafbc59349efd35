import type { NotificationEvent } from '../../../shared/workspace/notification-calls.ts'
import { readTopic } from '../../../shared/workspace/notification-kinds.ts'
import * as sql from '../../access/notifications/public.ts'
import { type ListedNotification, presentNotification } from '../../access/notifications/public.ts'
import type { Deps } from '../../deps.ts'

// Delivers new notifications to clients with an open store. Notifications of an account are serialized, so reading
// "since this instant" misses none. One may be sent twice; the browser recognizes its id (decision 68).

const SOON_MS = 50
const AGAIN_MS = 1_000
const MAX_AT_ONCE = 500

export interface Watcher {
  accountId: string
  userId: string
  emit: (event: NotificationEvent) => void
}

interface Listeners {
  /** Clients with the store open in this process. */
  watchers: (storeId: string) => Watcher[]
  /** There are too many to send one by one: clients reload the list. */
  overflow: (storeId: string) => void
}

export class News {
  readonly #deps: Deps
  readonly #listeners: Listeners
  /** How far each open store has been delivered. */
  readonly #deliveredUpTo = new Map<string, Date>()
  readonly #waiting = new Map<string, NodeJS.Timeout>()
  readonly #reading = new Set<string>()

  constructor(deps: Deps, listeners: Listeners) {
    this.#deps = deps
    this.#listeners = listeners
  }

  /** For a store with clients: delivers notifications from now on. */
  async open(storeId: string): Promise<void> {
    if (this.#deliveredUpTo.has(storeId)) return
    const at = await sql.findNewestInstant({ storeId, db: this.#deps.db })
    if (!this.#deliveredUpTo.has(storeId)) this.#deliveredUpTo.set(storeId, at)
  }

  /** There may be new notifications. */
  hear(storeId: string): void {
    if (this.#deliveredUpTo.has(storeId) && !this.#waiting.has(storeId)) this.#wait(storeId, SOON_MS)
  }

  stop(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
    this.#deliveredUpTo.clear()
  }

  #wait(storeId: string, ms: number): void {
    this.#waiting.set(
      storeId,
      setTimeout(() => void this.#tell(storeId), ms),
    )
  }

  async #tell(storeId: string): Promise<void> {
    this.#waiting.delete(storeId)
    // A running read began before this notification and may miss it.
    if (this.#reading.has(storeId)) return this.hear(storeId)
    this.#reading.add(storeId)
    try {
      await this.#tellAll(storeId)
    } catch (error) {
      this.#deps.log.warn({ err: error, storeId }, 'live.news_failed')
      if (this.#deliveredUpTo.has(storeId) && !this.#waiting.has(storeId)) this.#wait(storeId, AGAIN_MS)
    } finally {
      this.#reading.delete(storeId)
    }
  }

  async #tellAll(storeId: string): Promise<void> {
    const watchers = this.#listeners.watchers(storeId)
    const since = this.#deliveredUpTo.get(storeId)
    if (watchers.length === 0) this.#deliveredUpTo.delete(storeId)
    if (watchers.length === 0 || !since) return
    const store = { storeId, db: this.#deps.db }
    const rows = await sql.listNewsSince(store, since, MAX_AT_ONCE)
    const newest = rows.at(-1)?.created_at
    if (!newest) return
    if (rows.length === MAX_AT_ONCE) {
      this.#deliveredUpTo.set(storeId, await sql.findNewestInstant(store))
      return this.#listeners.overflow(storeId)
    }
    await this.#deliverEach(storeId, rows)
    this.#deliveredUpTo.set(storeId, newest)
  }

  /** To the clients after the read: some may have left or joined meanwhile. */
  async #deliverEach(storeId: string, rows: readonly ListedNotification[]): Promise<void> {
    const mutedTopics = new Set<string>()
    const checkedUserIds = new Set<string>()
    for (;;) {
      const watchers = this.#listeners.watchers(storeId)
      const others = [...new Set(watchers.map(({ userId }) => userId))].filter((userId) => !checkedUserIds.has(userId))
      if (others.length === 0) return emitEach(watchers, rows, mutedTopics)
      const { accountId } = watchers[0]!
      const off = await sql.listMutedTopics({ accountId, db: this.#deps.db }, others)
      for (const { user_id, topic } of off) mutedTopics.add(`${user_id} ${topic}`)
      for (const userId of others) checkedUserIds.add(userId)
    }
  }
}

function emitEach(
  watchers: readonly Watcher[],
  rows: readonly ListedNotification[],
  mutedTopics: ReadonlySet<string>,
): void {
  for (const row of rows) {
    const notification = presentNotification(row)
    const topic = readTopic(row.type)
    for (const { userId, emit } of watchers) {
      if (!mutedTopics.has(`${userId} ${topic}`)) emit({ type: 'new', notification })
    }
  }
}
