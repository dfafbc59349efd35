import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

// The browser's side of Mozilla's push service: JSON over a web socket, as in autopush-rs (docs/src/architecture) and
// Firefox's PushServiceWebSocket. A browser connects and stays connected, registers a channel with the shop's public
// key, and gets an endpoint. It receives encrypted messages and acknowledges each.

/** The side of the push service to which application servers send. */
export interface Endpoints {
  /** Creates an endpoint that accepts only messages signed with this key (base64url). */
  register(key: string | null): string
  /** Marks the endpoint as gone: it replies with 410. */
  end(endpoint: string): void
}

export interface Accepted {
  body: Buffer
  ttl: number
}

/** Firefox's acknowledgements: delivered to the worker, not decrypted, not accepted by the worker. */
const ACK_CODES = { 100: 'delivered', 101: 'not decrypted', 102: 'not delivered' } as const
type Ack = (typeof ACK_CODES)[keyof typeof ACK_CODES]

interface ClientMessage {
  messageType?: string
  uaid?: string
  channelID?: string
  key?: string
  updates?: { version: string; code?: number }[]
}

export interface Autopush {
  port: number
  /** Delivers to the browser of the endpoint; waits while the browser is offline. */
  deliver(endpoint: string, message: Accepted): void
  /** Acknowledgements of browsers, in order. */
  acks: Ack[]
  /** Endpoints in use. */
  live(): string[]
  close(): Promise<void>
}

interface Channel {
  endpoint: string
  uaid: string
}

export async function openAutopush(endpoints: Endpoints): Promise<Autopush> {
  const server = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    handleProtocols: (offered) => (offered.has('push-notification') ? 'push-notification' : false),
  })
  const browsers = new Map<string, WebSocket>()
  const channels = new Map<string, Channel>()
  const waiting: { uaid: string; text: string }[] = []
  const acks: Ack[] = []
  const handlers: Record<string, (clientMessage: ClientMessage, uaid: string) => object | null> = {
    register: ({ channelID = '', key }, uaid) => {
      const endpoint = endpoints.register(key ? Buffer.from(key, 'base64url').toString('base64url') : null)
      channels.set(channelID, { endpoint, uaid })
      return { messageType: 'register', channelID, status: 200, pushEndpoint: endpoint }
    },
    unregister: ({ channelID = '' }) => {
      const channel = channels.get(channelID)
      if (channel) endpoints.end(channel.endpoint)
      channels.delete(channelID)
      return { messageType: 'unregister', channelID, status: 200 }
    },
    ack: ({ updates = [] }) => {
      acks.push(...updates.map(({ code = 100 }) => ACK_CODES[code as keyof typeof ACK_CODES]))
      return null
    },
    ping: () => ({}),
  }
  server.on('connection', (socket) => {
    let uaid = ''
    const hello = (clientMessage: ClientMessage) => {
      uaid =
        clientMessage.uaid && browsers.has(clientMessage.uaid) ? clientMessage.uaid : randomUUID().replaceAll('-', '')
      browsers.set(uaid, socket)
      socket.send(JSON.stringify({ messageType: 'hello', uaid, status: 200, use_webpush: true, broadcasts: {} }))
      for (const each of waiting.filter((one) => one.uaid === uaid)) socket.send(each.text)
    }
    socket.on('message', (data) => {
      const clientMessage = JSON.parse(String(data)) as ClientMessage
      if (clientMessage.messageType === 'hello') return hello(clientMessage)
      const answer = handlers[clientMessage.messageType ?? 'ping']?.(clientMessage, uaid)
      if (answer) socket.send(JSON.stringify(answer))
    })
  })
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    deliver(endpoint, { body, ttl }) {
      const found = [...channels].find(([, channel]) => channel.endpoint === endpoint)
      if (!found) return
      const [channelID, { uaid }] = found
      const encrypted = body.length ? { data: body.toString('base64url'), headers: { encoding: 'aes128gcm' } } : {}
      const text = JSON.stringify({ messageType: 'notification', channelID, version: randomUUID(), ttl, ...encrypted })
      const socket = browsers.get(uaid)
      if (socket?.readyState === socket?.OPEN) socket!.send(text)
      else waiting.push({ uaid, text })
    },
    acks,
    live: () => [...channels.values()].map(({ endpoint }) => endpoint),
    async close() {
      for (const client of server.clients) client.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
