import type { IncomingHttpHeaders } from 'node:http'

/** A request to a provider's interface, whoever serves it. */
export interface ApiRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /** A form's fields; empty when the body is none. */
  form: Record<string, string>
  /** A JSON body; undefined when it is none. */
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
    json: isForm ? undefined : parsed(body),
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
