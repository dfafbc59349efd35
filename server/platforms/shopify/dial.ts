import { FetchProblem } from '../../core/net/fetch-problem.ts'
import type { StoreNet } from '../platform/access.ts'
import { problemFromFetch } from '../platform/problem-from-fetch.ts'
import type { ShopifyAnswer } from './problems.ts'

// Sends one request with keys. Never follows redirects with them.

export interface DialRequest {
  url: string
  headers: Record<string, string>
  body: string
  signal?: AbortSignal | undefined
  /** For reads: repeats the request once after a closed keep-alive connection. */
  isRead?: boolean
}

const TEXT_LENGTH = 4_000

/** Returns any status; throws StoreProblem only without a response. */
export async function dial(net: StoreNet, request: DialRequest): Promise<ShopifyAnswer> {
  try {
    return await sendOnce(net, request)
  } catch (error) {
    const isStale = error instanceof FetchProblem && error.kind === 'connection_lost'
    if (!isStale || !request.isRead) throw problemFromFetch(error)
  }
  try {
    return await sendOnce(net, request)
  } catch (error) {
    throw problemFromFetch(error)
  }
}

async function sendOnce(net: StoreNet, { url, headers, body, signal }: DialRequest): Promise<ShopifyAnswer> {
  const answer = await net.fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    hasCredentials: true,
    body,
    ...(signal ? { signal } : {}),
  })
  const date = Date.parse(answer.headers.date ?? '')
  const text = answer.body.toString('utf8')
  return {
    status: answer.status,
    headers: answer.headers,
    body: parseJson(text),
    text: text.slice(0, TEXT_LENGTH),
    clockSkewMs: Number.isNaN(date) ? null : date - net.now().getTime(),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
