// PHP behaviour that is visible to clients: query strings, URL encoding, JSON, hashes, text and money formats.
import { createHash } from 'node:crypto'

export type PhpValue = string | { [key: string]: PhpValue }
export type PhpQuery = { [key: string]: PhpValue }

/** `a[]=1&a[]=2` becomes { a: { 0: '1', 1: '2' } }, as PHP builds $_GET. */
export function parsePhpQuery(search: string): PhpQuery {
  const query: PhpQuery = {}
  for (const pair of search.replace(/^\?/, '').split('&')) {
    if (!pair) continue
    const cut = pair.indexOf('=')
    const key = urlDecode(cut < 0 ? pair : pair.slice(0, cut))
    setPath(query, key, cut < 0 ? '' : urlDecode(pair.slice(cut + 1)))
  }
  return query
}

export function asText(value: PhpValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A list parameter: `a,b`, `x[]=a&x[]=b` or `x[0]=a`. */
export function asList(value: PhpValue | undefined): string[] {
  if (value === undefined) return []
  const parts = typeof value === 'string' ? value.split(',') : Object.values(value).map((part) => asText(part) ?? '')
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

export function rawUrlEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

export function urlEncode(text: string): string {
  return rawUrlEncode(text).replace(/%20/g, '+').replace(/~/g, '%7E')
}

export function rawUrlDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function encodePhpJson(value: unknown): string {
  const escaped = JSON.stringify(value).replace(/\//g, '\\/')
  return escaped.replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

export function isEmail(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 254 && /^[^\s@,;<>()"]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)
}

function urlDecode(text: string): string {
  return rawUrlDecode(text.replace(/\+/g, ' '))
}

function setPath(query: PhpQuery, key: string, value: string) {
  const head = /^([^[]+)((?:\[[^\]]*\])*)/.exec(key)
  if (!head) return
  const steps = [head[1]!, ...[...(head[2] ?? '').matchAll(/\[([^\]]*)\]/gy)].map((step) => step[1]!)]
  if (steps.some((step) => step === '__proto__')) return
  let here = query
  steps.forEach((step, depth) => {
    const name = step === '' && depth > 0 ? String(Object.keys(here).length) : step
    if (depth === steps.length - 1) {
      here[name] = value
      return
    }
    const deeper = here[name]
    const next: PhpQuery = typeof deeper === 'object' ? deeper : {}
    here[name] = next
    here = next
  })
}
