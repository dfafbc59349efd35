import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import pg from 'pg'
import { Server, type Socket } from 'socket.io'
import { z } from 'zod'
import { PlatformName } from '../../../shared/platforms/platforms.ts'
import type { LivePart } from '../../../shared/workspace/live.ts'
import {
  type ClientEvents,
  type JoinReply,
  LIVE_PATH,
  type LiveRefusal,
  liveParts,
  type ServerEvents,
} from '../../../shared/workspace/live.ts'
import { MAX_IDS_PER_EVENT } from '../../../shared/workspace/notification-calls.ts'
import { authenticate, mayStillView, type Session } from '../../access/members/public.ts'
import { markRead } from '../../access/notifications/public.ts'
import { chooseStore, type RequestedStore } from '../../access/stores/public.ts'
import { createHostCheck } from '../../carts/links/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type Db, sql } from '../../core/db/public.ts'
import { clientAddress, clientKey, compileRanges, hasOneHost } from '../../core/net/public.ts'
import type { Deps } from '../../deps.ts'
import { News } from './news.ts'
import { allowance, isOwnOrigin, memberKey, type OwnChange, readAnnouncement } from './rules.ts'

// The live connections of this process: sessions, store rooms and delivery. Each process listens to the database, so
// rooms need not span processes.

const LARGEST_MESSAGE_BYTES = 4_096
const CONNECTIONS_PER_SESSION = 10
const CONNECTIONS = 10_000
/** Unauthenticated connections per network; a browser authenticates within a second. */
const WAITING_PER_NETWORK = 50
const MESSAGES_AT_ONCE = 10
const MESSAGES_PER_SECOND = 2
const SIGN_IN_MS = 10_000
const ROUND_MS = 30_000
const WATCH_MS = 3 * ROUND_MS

const Marked = z.object({
  notificationIds: z.array(z.string().max(64)).max(MAX_IDS_PER_EVENT),
  platform: z.string().max(40).optional(),
})

interface SocketData {
  session: Session
  storeId: string | null
}
type LiveServer = Server<ClientEvents, ServerEvents, Record<string, never>, SocketData>
type EngineRequest = Parameters<LiveServer['engine']['handleRequest']>[0]
type Connection = LiveSocket['conn']
type LiveSocket = Socket<ClientEvents, ServerEvents, Record<string, never>, SocketData>

export class Live {
  readonly #deps: Deps
  readonly #io: LiveServer
  readonly #changes: ChangeGatherer
  readonly #news: News
  /** Connections per session, including those being admitted. */
  readonly #heldBy = new Map<string, number>()
  /** Unauthenticated connections per network. */
  readonly #waiting = new Map<string, number>()
  readonly #waitingOf = new Map<Connection, () => void>()
  readonly #isTrusted: (address: string) => boolean
  /** A shop's own host serves links only. */
  readonly #isLinkHost: ReturnType<typeof createHostCheck>
  #listening: Listener | undefined
  #round: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(deps: Deps, server: HttpServer) {
    this.#deps = deps
    this.#isLinkHost = createHostCheck(deps)
    this.#isTrusted = compileRanges(deps.config.trustedProxies)
    this.#io = new Server(server, {
      path: LIVE_PATH,
      serveClient: false,
      transports: ['polling', 'websocket'],
      maxHttpBufferSize: LARGEST_MESSAGE_BYTES,
      connectTimeout: SIGN_IN_MS,
      allowRequest: (request, answer) => {
        this.#mayAsk(request).then(
          (may) => answer(null, may),
          () => answer(null, false),
        )
      },
    })
    this.#io.engine.on('headers', (headers: Record<string, string>) => {
      headers['cache-control'] = 'no-store'
      headers['x-content-type-options'] = 'nosniff'
    })
    this.#io.engine.on('connection', (connection: Connection) => this.#wait(connection))
    this.#changes = new ChangeGatherer((storeId, changed) =>
      this.#io.to(storeId).emit('store-changed', { storeId, changed }),
    )
    this.#news = new News(deps, {
      watchers: (storeId) =>
        this.#sockets()
          .filter((socket) => socket.data.storeId === storeId)
          .map((socket) => ({ ...socket.data.session, emit: (event) => socket.emit('notification', event) })),
      overflow: (storeId) => this.#changes.add(storeId, ['notifications']),
    })
    this.#io.use((socket, next) => {
      this.#admit(socket).then(
        () => next(),
        (error: unknown) => next(new Error(toRefusal(error))),
      )
    })
    this.#io.on('connection', (socket) => this.#serve(socket))
  }

  /** Starts listening to the database. */
  start(): void {
    const { config, pool } = this.#deps
    const url = config.databaseDirectUrl ?? pool.options.connectionString!
    this.#listening = listen(
      url,
      (payload) => this.#hear(payload),
      () => this.#catchUp(),
    )
    this.#round = setInterval(() => void this.#goRound(), ROUND_MS)
  }

  /** For requests of another HTTP server than the given one: `localhost` has one per address family. */
  answer(request: IncomingMessage, reply: ServerResponse): void {
    // The engine sets the fields that it needs.
    this.#io.engine.handleRequest(request as EngineRequest, reply)
  }

  /** Ends all connections; browsers reconnect to any process. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#round)
    this.#changes.stop()
    this.#news.stop()
    this.#io.engine.close()
    await this.#listening?.stop()
  }

  /**
   * Runs before any state is kept for a caller. Rejects a token in the address, which would end up in logs and
   * histories.
   */
  async #mayAsk(request: IncomingMessage): Promise<boolean> {
    const { headers, rawHeaders, url } = request
    if (this.#isClosing || this.#io.sockets.sockets.size >= CONNECTIONS) return false
    // Limits an attacker with many networks.
    if (this.#io.engine.clientsCount >= 2 * CONNECTIONS) return false
    if (!hasOneHost(rawHeaders)) return false
    if (new URLSearchParams(url?.split('?')[1]).has('token')) return false
    if (await this.#isLinkHost((headers.host ?? '').replace(/:\d+$/, ''))) return false
    if ((this.#waiting.get(this.#networkOf(request)) ?? 0) >= WAITING_PER_NETWORK) return false
    return isOwnOrigin(headers.origin, headers.host, this.#deps.config.publicUrl)
  }

  #networkOf = (request: IncomingMessage) => clientKey(clientAddress(request, this.#isTrusted))

  /** Anyone can open connections, so unauthenticated ones have limits of their own. */
  #wait(connection: Connection): void {
    const network = this.#networkOf(connection.request)
    this.#waiting.set(network, (this.#waiting.get(network) ?? 0) + 1)
    const end = () => {
      if (!this.#waitingOf.delete(connection)) return
      const remaining = this.#waiting.get(network)! - 1
      if (remaining > 0) this.#waiting.set(network, remaining)
      else this.#waiting.delete(network)
    }
    this.#waitingOf.set(connection, end)
    connection.once('close', end)
  }

  async #admit(socket: LiveSocket): Promise<void> {
    const session = await this.#sessionOf(socket)
    const { sessionId } = session
    const held = this.#heldBy.get(sessionId) ?? 0
    if (held >= CONNECTIONS_PER_SESSION) throw new AppError('conflict', 'Too many live connections.')
    this.#heldBy.set(sessionId, held + 1)
    socket.conn.once('close', () => {
      const remaining = this.#heldBy.get(sessionId)! - 1
      if (remaining > 0) this.#heldBy.set(sessionId, remaining)
      else this.#heldBy.delete(sessionId)
    })
    socket.data = { session, storeId: null }
    this.#waitingOf.get(socket.conn)?.()
  }

  #sessionOf(socket: LiveSocket): Promise<Session> {
    const { token } = socket.handshake.auth as { token?: unknown }
    return authenticate(this.#deps, `Bearer ${String(token)}`, true) as Promise<Session>
  }

  #serve(socket: LiveSocket): void {
    const isWithin = allowance(MESSAGES_AT_ONCE, MESSAGES_PER_SECOND)
    socket.use((_event, next) => {
      if (isWithin(performance.now())) next()
      else socket.disconnect(true)
    })
    const refuse = (error: unknown) => {
      if (!(error instanceof AppError)) this.#deps.log.error({ err: error }, 'live.event_failed')
      socket.disconnect(true)
    }
    socket.on('join-platform', (platform, answer) => {
      this.#join(socket, platform).then((joined) => typeof answer === 'function' && answer(joined), refuse)
    })
    socket.on('mark-notifications-read', (marked, answer) => {
      this.#mark(socket, marked).then((success) => typeof answer === 'function' && answer({ success }), refuse)
    })
    // The session may have ended between admission and now, unnoticed.
    void this.#look([socket])
  }

  /** Reads the session each time: it may have ended or changed its store. */
  async #join(socket: LiveSocket, platform: unknown): Promise<JoinReply> {
    const session = await this.#sessionOf(socket)
    const storeId = await this.#storeOf(socket, session, platform)
    if (storeId) await watchStores(this.#deps.db, [storeId], this.#watchedUntil())
    for (const room of socket.rooms) if (room !== socket.id) socket.leave(room)
    socket.data = { session, storeId }
    socket.join(memberKey(session.accountId, session.userId))
    if (storeId) {
      socket.join(storeId)
      await this.#news.open(storeId)
    }
    return { storeId }
  }

  /** The store of the tab while it is connected, otherwise by decision 7. null: the account has no store. */
  async #storeOf({ handshake }: LiveSocket, session: Session, platform: unknown): Promise<string | null> {
    const storeId = z.uuid().safeParse(handshake.auth.storeId).data
    const choice = storeId ? await this.#choose(session, { storeId }) : null
    if (choice?.is_active) return choice.id
    return (await this.#choose(session, { platform: PlatformName.safeParse(platform).data }))?.id ?? null
  }

  #choose(session: Session, requestedStore: RequestedStore) {
    return chooseStore(this.#deps.db, session, requestedStore).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return null
      throw error
    })
  }

  /** Same rules as over HTTP. false: invalid input. */
  async #mark(socket: LiveSocket, marked: unknown): Promise<boolean> {
    const { data } = Marked.safeParse(marked)
    const session = await this.#sessionOf(socket)
    const storeId = data && (await this.#storeOf(socket, session, data.platform))
    if (!data || !storeId || session.viewedUntil) return false
    const reader = { store: { storeId, db: this.#deps.db }, userId: session.userId }
    await markRead(reader, { ids: data.notificationIds }, true)
    return true
  }

  #hear(payload: string): void {
    const announcement = readAnnouncement(payload)
    if (!announcement) return
    if ('accountId' in announcement) {
      void this.#look(this.#sockets().filter(({ data }) => data.session.accountId === announcement.accountId))
    } else if ('newsOf' in announcement) this.#news.hear(announcement.newsOf)
    else if ('own' in announcement) this.#pass(announcement.member, announcement.own)
    else if (this.#io.sockets.adapter.rooms.has(announcement.storeId))
      this.#changes.add(announcement.storeId, [announcement.part])
  }

  /** To all tabs of a member. */
  #pass(member: string, own: OwnChange): void {
    if (own !== 'again') {
      this.#io.to(member).emit('notification', own)
      return
    }
    for (const socket of this.#sockets().filter(({ rooms }) => rooms.has(member))) {
      const { storeId } = socket.data
      if (storeId) socket.emit('store-changed', { storeId, changed: ['notifications'] })
    }
  }

  /** Everything may have changed while nothing was received. */
  #catchUp(): void {
    for (const storeId of this.#openStores()) {
      this.#changes.add(storeId, liveParts)
      this.#news.hear(storeId)
    }
    void this.#look(this.#sockets())
  }

  async #goRound(): Promise<void> {
    const { db, now, log } = this.#deps
    try {
      await this.#listening?.check()
      const open = this.#openStores()
      if (open.length > 0) await watchStores(db, open, this.#watchedUntil())
      await forgetWatches(db, now())
      await this.#look(this.#sockets())
    } catch (error) {
      log.warn({ err: error }, 'live.round_failed')
    }
  }

  /**
   * Disconnects sockets whose session has ended or changed account, store or role, and operators without the right to
   * view.
   */
  async #look(sockets: LiveSocket[]): Promise<void> {
    if (sockets.length === 0) return
    const { db, now, log } = this.#deps
    try {
      const ids = new Set(sockets.map(({ data }) => data.session.sessionId))
      const alive = new Map((await sessionsAlive(db, [...ids], now())).map((row) => [row.id, row]))
      for (const socket of sockets) {
        const { session } = socket.data
        const row = alive.get(session.sessionId)
        const isBound = row?.account_id === session.accountId && row.store_id === session.storeId
        const isOver = !isBound || row.role !== session.role
        if (isOver || (session.viewedUntil && !(await mayStillView(this.#deps, session)))) socket.disconnect(true)
      }
    } catch (error) {
      log.warn({ err: error }, 'live.look_failed') // the next round looks again
    }
  }

  #sockets(): LiveSocket[] {
    return [...this.#io.sockets.sockets.values()]
  }

  #openStores(): string[] {
    return [...new Set(this.#sockets().flatMap(({ data }) => data.storeId ?? []))]
  }

  #watchedUntil(): Date {
    return new Date(this.#deps.now().getTime() + WATCH_MS)
  }
}

function toRefusal(error: unknown): LiveRefusal {
  if (!(error instanceof AppError)) return 'unavailable'
  return error.code === 'session' ? 'session' : 'too_many'
}

const SOON_MS = 50
const PAUSE_MS = 1_000

/**
 * Emits changes of a store at most once a second. The parts of a transaction arrive one by one, so the first waits
 * briefly for the others.
 */
class ChangeGatherer {
  readonly #waiting = new Map<string, { parts: Set<LivePart>; timer: NodeJS.Timeout }>()
  readonly #pass: (storeId: string, parts: LivePart[]) => void

  constructor(pass: (storeId: string, parts: LivePart[]) => void) {
    this.#pass = pass
  }

  add(storeId: string, parts: readonly LivePart[]): void {
    const known = this.#waiting.get(storeId)
    if (known) for (const part of parts) known.parts.add(part)
    else this.#waiting.set(storeId, { parts: new Set(parts), timer: this.#wait(storeId, SOON_MS) })
  }

  stop(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
  }

  #wait(storeId: string, delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#flush(storeId), delayMs)
  }

  #flush(storeId: string): void {
    const parts = [...this.#waiting.get(storeId)!.parts]
    this.#waiting.delete(storeId)
    if (parts.length === 0) return
    this.#waiting.set(storeId, { parts: new Set(), timer: this.#wait(storeId, PAUSE_MS) })
    this.#pass(storeId, parts)
  }
}

const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 30_000
const ANSWER_MS = 10_000

interface Listener {
  /** Detects a dead connection by a query and reopens it. */
  check(): Promise<void>
  stop(): Promise<void>
}

/**
 * Listens on a dedicated connection and reopens it when it breaks. `onOpen` runs after each open: earlier notifications
 * may have been missed.
 */
function listen(url: string, onPayload: (payload: string) => void, onOpen: () => void): Listener {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let delayMs = FIRST_DELAY_MS
  let isStopped = false

  const open = async () => {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'recoup-live',
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    })
    client = next
    const onLost = () => lose(next)
    next.on('error', onLost).on('end', onLost)
    next.on('notification', ({ payload }) => onPayload(payload ?? ''))
    try {
      await next.connect()
      await next.query('listen recoup_live')
    } catch {
      return lose(next)
    }
    if (client !== next) return
    delayMs = FIRST_DELAY_MS
    onOpen()
  }

  const lose = (lost: pg.Client) => {
    if (client !== lost) return
    client = undefined
    lost.end().catch(() => {})
    if (isStopped) return
    // Jitter, so that processes do not reconnect at the same moment.
    timer = setTimeout(() => void open(), delayMs * (0.5 + Math.random() / 2))
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)
  }

  void open()
  return {
    async check() {
      const connection = client
      await connection?.query('select 1').catch(() => lose(connection))
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      const last = client
      client = undefined
      await last?.end().catch(() => {})
    },
  }
}

// Statements across stores and accounts, for the connections of a process.

/** Announces changes of these stores from now on. Deleted stores are skipped. */
async function watchStores(db: Db, storeIds: readonly string[], until: Date): Promise<void> {
  await sql`
    insert into live_watches (store_id, until)
    select id, ${until}::timestamptz from stores where id = any(${[...storeIds]}::uuid[]) order by id
    on conflict (store_id) do update set until = greatest(live_watches.until, excluded.until)`.execute(db)
}

/** Includes watches of crashed processes. */
function forgetWatches(db: Db, now: Date) {
  return db.deleteFrom('live_watches').where('until', '<', now).execute()
}

/** The valid ones among these sessions, with their account, store and role. */
function sessionsAlive(db: Db, sessionIds: readonly string[], now: Date) {
  return db
    .selectFrom('sessions as s')
    .leftJoin('members as m', (on) =>
      on.onRef('m.account_id', '=', 's.account_id').onRef('m.user_id', '=', 's.user_id'),
    )
    .select(['s.id', 's.account_id', 's.store_id'])
    .select((eb) =>
      eb.fn.coalesce(eb.case().when('s.viewed_until', 'is not', null).then('viewer').end(), 'm.role').as('role'),
    )
    .where((eb) => eb.or([eb('m.role', 'is not', null), eb('s.viewed_until', 'is not', null)]))
    .where('s.id', '=', sql<string>`any(${[...sessionIds]}::uuid[])`)
    .where('s.expires_at', '>', now)
    .execute()
}
