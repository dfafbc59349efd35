import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { checkedLookup } from '../server/core/net/guarded-fetch.ts'

export interface Post {
  headers: Record<string, string>
  body: string
  timeoutMs: number
  /** DNS lookup that restricts the allowed addresses. */
  lookup: ReturnType<typeof checkedLookup>
}

/** Posts a demo store's webhook. Returns the status; 0: no response in time. */
export function post(url: URL, { headers, body, timeoutMs, lookup }: Post): Promise<number> {
  const start = url.protocol === 'https:' ? requestHttps : requestHttp
  const options = {
    method: 'POST',
    headers: { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(body) },
    timeout: timeoutMs,
    lookup,
  }
  return new Promise((resolve) => {
    const outgoing = start(url, options, (answer) => {
      answer.resume()
      answer.on('error', () => resolve(0))
      answer.on('end', () => resolve(answer.statusCode ?? 0))
    })
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', () => resolve(0))
    outgoing.on('close', () => resolve(0))
    outgoing.end(body)
  })
}
