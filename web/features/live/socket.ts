import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client'
import {
  type ClientEvents,
  LIVE_PATH,
  type LivePart,
  type LiveRefusal,
  type ServerEvents,
} from '../../../shared/workspace/live.ts'
import type { NotificationEvent } from '../../../shared/workspace/notification-calls.ts'

// The only live connection. Reconnects as A 9 requires: forever, after 1 s to 10 s, polling before websocket.

/** After the server closed or refused the connection, which the library treats as final. */
const AGAIN_MS = 10_000
const POLLING_AFTER = 5

const MARK_MS = 5_000

export interface LiveJoined {
  /** Reports notifications as read; resolves to whether the server accepted (A 7). */
  markRead: (notificationIds: string[]) => Promise<boolean>
}

type LiveSocket = Socket<ServerEvents, ClientEvents>
export type ConnectOptions = Partial<ManagerOptions & SocketOptions>

interface Live {
  token: string
  platform: string
  /** The store this tab shows. */
  storeId: string
  onChanged: (parts: readonly LivePart[]) => void
  onNotification: (event: NotificationEvent) => void
  /** Joined a store's room; earlier changes were missed. */
  onJoined: (joined: LiveJoined) => void
  /** The server does not know this session or has ended it. */
  onSessionDoubt: () => void
}

/** Returns a close function. `connect`: the library's, to the page's own server. */
export function openLive(
  { token, platform, storeId, onChanged, onNotification, onJoined, onSessionDoubt }: Live,
  connect: (options: ConnectOptions) => LiveSocket = io,
): () => void {
  const socket = connect({
    path: LIVE_PATH,
    auth: { token, storeId },
    transports: ['polling', 'websocket'],
    reconnectionDelay: 1_000,
    reconnectionDelayMax: 10_000,
    timeout: 20_000,
    forceNew: true,
  })
  let again: ReturnType<typeof setTimeout> | undefined
  let errors = 0
  const scheduleOnce = (act: () => void) => {
    clearTimeout(again)
    again = setTimeout(act, AGAIN_MS)
  }
  const retryLater = () => scheduleOnce(() => socket.connect())
  const markRead = async (notificationIds: string[]) => {
    const marked = { notificationIds, platform }
    const answer = await socket
      .timeout(MARK_MS)
      .emitWithAck('mark-notifications-read', marked)
      .catch(() => null)
    return answer?.success === true
  }
  const join = () => {
    if (!socket.connected) return
    // Without a store there may soon be one: the demo's is recreated, or another is being connected.
    socket.emit('join-platform', platform, ({ storeId }) => (storeId ? onJoined({ markRead }) : scheduleOnce(join)))
  }
  socket.on('connect', () => {
    errors = 0
    clearTimeout(again)
    join()
  })
  socket.on('store-changed', ({ changed }) => onChanged(changed))
  socket.on('notification', onNotification)
  socket.on('connect_error', ({ message }) => {
    errors += 1
    // A 8: only logged; screens also poll.
    console.error('The live connection failed:', message)
    if (errors >= POLLING_AFTER) socket.io.opts.transports = ['polling']
    if (socket.active) return
    if (message === ('session' satisfies LiveRefusal)) onSessionDoubt()
    retryLater()
  })
  socket.on('disconnect', (reason) => {
    if (reason !== 'io server disconnect') return
    onSessionDoubt()
    retryLater()
  })
  return () => {
    clearTimeout(again)
    socket.disconnect()
  }
}
