import { io, type Socket } from 'socket.io-client'
import { type ClientEvents, LIVE_PATH, type LivePart, type LiveRefusal, type ServerEvents } from '../../shared/live.ts'

// The only live connection. Reconnects as A 9 says: without end, after 1 s at first and 10 s at most, polling before websocket.

/** After the server itself ended or refused it, which the library takes as final. */
const AGAIN_MS = 10_000
const POLLING_AFTER = 5

interface Live {
  token: string
  platform: string
  onChanged: (parts: readonly LivePart[]) => void
  /** In a store's room from now on: what changed before was not heard. */
  onJoined: () => void
  /** The server does not know this session, or has ended it. */
  onSessionDoubt: () => void
}

/** Returns what closes it. */
export function openLive({ token, platform, onChanged, onJoined, onSessionDoubt }: Live): () => void {
  const socket: Socket<ServerEvents, ClientEvents> = io({
    path: LIVE_PATH,
    auth: { token },
    transports: ['polling', 'websocket'],
    reconnectionDelay: 1_000,
    reconnectionDelayMax: 10_000,
    timeout: 20_000,
    forceNew: true,
  })
  let again: ReturnType<typeof setTimeout> | undefined
  let errors = 0
  const later = (act: () => void) => {
    clearTimeout(again)
    again = setTimeout(act, AGAIN_MS)
  }
  const retryLater = () => later(() => socket.connect())
  const join = () => {
    if (!socket.connected) return
    // Without a store there may be one in a while: the demo's is made anew, another one is being connected.
    socket.emit('join-platform', platform, ({ storeId }) => (storeId ? onJoined() : later(join)))
  }
  socket.on('connect', () => {
    errors = 0
    clearTimeout(again)
    join()
  })
  socket.on('store-changed', ({ changed }) => onChanged(changed))
  socket.on('connect_error', ({ message }) => {
    errors += 1
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
