import { Readable } from 'node:stream'
import { Pool } from 'undici'
import { oneLine } from '../../messages/channels/bounce-rules.ts'
import type { Outcome } from '../../messages/channels/channel.ts'
import { nameFetchFailure } from '../../core/net/fetch-problem.ts'

// HTTP to a provider. What the engine has to know of a failure is whether the request's body had been sent: then silence
// proves nothing, and the message is not sent again.

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
  /** Everything goes there; the paths stay. null: where the request says. */
  baseUrl?: string | null
  poolSize: number
  connectMs?: number
  /** From the end of the request to the answer. */
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
      const asked = new URL(url)
      const base = baseUrl ? new URL(baseUrl) : asked
      const path = (baseUrl ? base.pathname.replace(/\/$/, '') : '') + asked.pathname + asked.search
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
        return { isAnswered: true, status, retryAfterMs: retryAfter(fields['retry-after']), text, json: parsed(text) }
      } catch (error) {
        const { kind, detail } = nameFetchFailure(error)
        return { isAnswered: false, isBodySent: sent.isBody, reason: kind, response: detail ?? wordsOf(kind) }
      }
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()))
    },
  }
}

/** Asked for only when there is a connection and the headers are written: before that nothing can have been accepted. */
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Seconds; believed up to an hour. A date is no form providers use here. */
function retryAfter(header: string | string[] | undefined): number | null {
  const seconds = Number(header)
  return header !== undefined && seconds > 0 && seconds <= 3_600 ? seconds * 1_000 : null
}

const wordsOf = (kind: string): string =>
  kind === 'timeout' ? 'The provider did not answer in time' : 'The connection to the provider failed'

/** D4 for silence: proof of non-acceptance only where the body never left. */
export function outcomeOfSilence(answer: Extract<ProviderAnswer, { isAnswered: false }>): Outcome {
  const { reason, response } = answer
  return answer.isBodySent
    ? { kind: 'unknown', reason: `${reason}_after_body`, response: oneLine(response) }
    : { kind: 'retry', reason, response: oneLine(response) }
}
