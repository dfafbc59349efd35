import crypto from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { serve } from '../serve.ts'
import { decrypt, type ReceiverKeys } from './decrypt.ts'
import { readVapid } from './vapid.ts'

// A push service that enforces RFC 8030, 8291 and 8292, and decrypts messages as the browser would. See README.md.

/** A browser's subscription with this service. */
export interface Registration extends ReceiverKeys {
  endpoint: string
  /** The key it was created with; requests signed by another are refused (RFC 8292, 4). null: any key. */
  publicKey: string | null
}

export interface ReceivedPush {
  endpoint: string
  /** The payload as the browser's worker reads it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any payload
  payload: any
  headers: Record<string, string>
  /** The request broke a rule, so the reply that the test asked for was not used. */
  status: number
}

export interface Fault {
  status?: number
  headers?: Record<string, string>
  /** Accepts the request, and then sends nothing or closes the connection. */
  silence?: 'hang' | 'cut'
  /** With `status`: the response body never ends, or never starts. */
  body?: 'endless' | 'late'
  /** Applies only to encrypted payloads larger than this many bytes. */
  above?: number
}

export interface PushService {
  url: string
  seen: ReceivedPush[]
  register(keys: ReceiverKeys, publicKey: string | null): Registration
  /** Registers a real browser, which receives accepted messages unchanged. Returns its endpoint. */
  registerBrowser(publicKey: string | null, take: (message: { body: Buffer; ttl: number }) => void): string
  /** The browser has unsubscribed: replies with 410 from now on. */
  end(endpoint: string): void
  /** Replies before anything else; undefined: handle the request. */
  fault: (endpoint: string) => Fault | undefined
  close(): Promise<void>
}

/** RFC 8030, 7.2: a service has to accept at least 4096 bytes. */
const MOST_BYTES = 4_096

export async function openPushService(now: () => number = Date.now): Promise<PushService> {
  const registrations = new Map<string, Registered>()
  const service = { url: '', seen: [], fault: () => undefined } as unknown as PushService
  const server = await serve((request, reply) => {
    void readBody(request).then((body) => answer(request, reply, body))
  })
  service.url = `http://127.0.0.1:${server.port}`
  const createEndpoint = () => `${service.url}/push/${crypto.randomBytes(24).toString('base64url')}`
  service.register = (keys, publicKey) => {
    const registration = { ...keys, endpoint: createEndpoint(), publicKey }
    registrations.set(registration.endpoint, {
      publicKey,
      take: ({ body }) => JSON.parse(decrypt(body, registration).toString('utf8')),
    })
    return registration
  }
  service.registerBrowser = (publicKey, take) => {
    const endpoint = createEndpoint()
    registrations.set(endpoint, { publicKey, take })
    return endpoint
  }
  service.end = (endpoint) => {
    registrations.get(endpoint)!.hasEnded = true
  }
  service.close = () => server.close()

  function answer(request: IncomingMessage, reply: ServerResponse, body: Buffer): unknown {
    const endpoint = `${service.url}${request.url}`
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const end = (status: number, text = '', more: Record<string, string> = {}, payload: unknown = null) => {
      service.seen.push({ endpoint, payload, headers, status })
      reply.writeHead(status, { 'content-type': 'text/plain', ...more })
      reply.end(text)
    }
    const fault = service.fault(endpoint)
    const isMeant = fault && (fault.above === undefined || body.length > fault.above)
    if (isMeant && fault.silence === 'hang') return
    if (isMeant && fault.silence === 'cut') return void request.socket.destroy()
    if (isMeant && fault.status && fault.body) return sendSlowBody(reply.writeHead(fault.status), fault.body)
    if (isMeant && fault.status) return end(fault.status, 'as the test wants', fault.headers)
    const known = registrations.get(endpoint)
    if (!known) return end(404, 'no such subscription')
    if (known.hasEnded) return end(410, 'gone')
    const refusal = findRefusal({ method: request.method, headers, body, known, origin: service.url, now: now() })
    if (refusal) return end(refusal[0], refusal[1])
    try {
      const payload = known.take({ body, ttl: Number(headers.ttl) })
      end(201, '', { location: `${service.url}/message/${crypto.randomUUID()}` }, payload)
    } catch (error) {
      // A real service cannot decrypt it and replies with 201; the browser then drops it. Here it is an error of ours.
      end(400, `not readable: ${String(error)}`)
    }
  }
  return service
}

function sendSlowBody(reply: ServerResponse, body: 'endless' | 'late'): void {
  reply.write('as the test wants ')
  const writeMore = (error?: Error | null) => void (error || reply.write('.'.repeat(65_536), writeMore))
  if (body === 'endless') writeMore()
}

interface Registered {
  publicKey: string | null
  /** Decrypts with the keys of the subscription, if this server has them. */
  take(message: { body: Buffer; ttl: number }): unknown
  hasEnded?: boolean
}

interface PushRequest {
  method: string | undefined
  headers: Record<string, string>
  body: Buffer
  known: Registered
  origin: string
  now: number
}

/** Returns the first broken rule; null: none. */
function findRefusal({
  method,
  headers,
  body,
  known,
  origin,
  now,
}: PushRequest): [status: number, words: string] | null {
  if (method !== 'POST') return [405, 'POST only']
  const { ttl, topic, urgency } = headers
  if (ttl === undefined) return [400, 'TTL is missing']
  if (!/^\d{1,10}$/.test(ttl)) return [400, 'TTL is no number of seconds']
  if (topic !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(topic))
    return [400, 'Topic has other characters, or too many']
  if (urgency !== undefined && !['very-low', 'low', 'normal', 'high'].includes(urgency)) return [400, 'unknown Urgency']
  if (headers['content-encoding'] !== 'aes128gcm') return [400, 'Content-Encoding is not aes128gcm']
  if (body.length > MOST_BYTES) return [413, 'too large']
  const vapid = readVapid(headers.authorization, { audience: origin, now })
  if ('problem' in vapid) return [401, vapid.problem]
  if (known.publicKey !== null && vapid.publicKey !== known.publicKey) return [403, 'signed with another key']
  return null
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
