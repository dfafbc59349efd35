import type { IncomingHttpHeaders } from 'node:http'

/** A request to a provider's API, independent of the HTTP server. */
export interface ApiRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /** Form fields; empty if the body is no form. */
  form: Record<string, string>
  /** JSON body; undefined if it is no JSON. */
  json: unknown
}

export interface ApiAnswer {
  status: number
  body: object
  headers?: Record<string, string>
}

export function readRequest(method: string, url: string, headers: IncomingHttpHeaders, body: string): ApiRequest {
  const { pathname, searchParams } = new URL(url, 'http://phone')
  const isForm = String(headers['content-type']).startsWith('application/x-www-form-urlencoded')
  return {
    method,
    path: pathname,
    query: searchParams,
    headers,
    form: isForm ? Object.fromEntries(new URLSearchParams(body)) : {},
    json: isForm ? undefined : parseJson(body),
  }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
