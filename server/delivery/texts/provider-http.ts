import { Readable } from 'node:stream'
import { Pool } from 'undici'
import { classifyFetchFailure } from '../../core/net/public.ts'
import { joinLines, type Outcome } from '../../messages/channels/public.ts'

// HTTP requests to a provider. After a failure it must be known whether the request body was sent: then the provider
// may have accepted the message, and it is not sent again.

export interface ProviderRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
}

export type ProviderAnswer =
  | { isAnswered: true; status: number; retryAfterMs: number | null; text: string; json: unknown }
  | { isAnswered: false; isBodySent: boolean; reason: string; response: string }

export interface ProviderHttpOptions {
  /** Replaces the host of all requests, keeping their paths. null: no change. */
  baseUrl?: string | null
  poolSize: number
  connectMs?: number
  /** Time limit from the end of the request to the response. */
  answerMs?: number
}

export interface ProviderHttp {
  request(request: ProviderRequest): Promise<ProviderAnswer>
  close(): Promise<void>
}

const LONGEST_ANSWER = 2_000_000

export function openProviderHttp(options: ProviderHttpOptions): ProviderHttp {
  const { baseUrl, poolSize, connectMs = 10_000, answerMs = 30_000 } = options
  const pools = new Map<string, Pool>()
  const poolFor = (origin: string) => {
    const known = pools.get(origin)
    if (known) return known
    const timeouts = { headersTimeout: answerMs, bodyTimeout: answerMs }
    const pool = new Pool(origin, {
      connections: poolSize,
      pipelining: 1,
      connect: { timeout: connectMs },
      ...timeouts,
    })
    pools.set(origin, pool)
    return pool
  }
  return {
    async request({ method, url, headers, body }) {
      const requested = new URL(url)
      const base = baseUrl ? new URL(baseUrl) : requested
      const path = (baseUrl ? base.pathname.replace(/\/$/, '') : '') + requested.pathname + requested.search
      const sent = { isBody: false }
      try {
        const reply = await poolFor(base.origin).request({
          method,
          path,
          headers: body === undefined ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) },
          body: body === undefined ? null : Readable.from(streamBody(body, sent), { objectMode: false }),
        })
        const text = await readBounded(reply.body)
        const { statusCode: status, headers: fields } = reply
        return {
          isAnswered: true,
          status,
          retryAfterMs: retryAfter(fields['retry-after']),
          text,
          json: parseJson(text),
        }
      } catch (error) {
        const { kind, detail } = classifyFetchFailure(error)
        return { isAnswered: false, isBodySent: sent.isBody, reason: kind, response: detail ?? describeFailure(kind) }
      }
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()))
    },
  }
}

/**
 * Read only after the connection is open and the headers are sent; before that the provider cannot have accepted
 * anything.
 */
async function* streamBody(body: string, sent: { isBody: boolean }) {
  sent.isBody = true
  yield Buffer.from(body)
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of body) {
    length += part.length
    if (length <= LONGEST_ANSWER) parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Parses Retry-After in seconds, at most an hour. Providers do not use dates here. */
function retryAfter(header: string | string[] | undefined): number | null {
  const seconds = Number(header)
  return header !== undefined && seconds > 0 && seconds <= 3_600 ? seconds * 1_000 : null
}

const describeFailure = (kind: string): string =>
  kind === 'timeout' ? 'The provider did not answer in time' : 'The connection to the provider failed'

/** The outcome without a response. Only an unsent body proves non-acceptance (D4). */
export function toSilenceOutcome(answer: Extract<ProviderAnswer, { isAnswered: false }>): Outcome {
  const { reason, response } = answer
  return answer.isBodySent
    ? { kind: 'unknown', reason: `${reason}_after_body`, response: joinLines(response) }
    : { kind: 'retry', reason, response: joinLines(response) }
}
