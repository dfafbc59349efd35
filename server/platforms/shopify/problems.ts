import type { StoreKeys } from '../platform/access.ts'
import type { StoreProblemCode } from '../platform/platform.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { isRecord, plainText, safeDetail } from '../platform/text.ts'
import { at } from './fields.ts'

// Classifies Shopify's refusals. GraphQL errors have codes; earlier refusals have a status and text.

export interface ShopifyAnswer {
  status: number
  headers: Record<string, string>
  /** Parsed JSON; undefined when the body is none. */
  body: unknown
  /** The beginning of the body. */
  text: string
  /** The store's clock when it answered, minus ours; null without a Date header. */
  clockSkewMs: number | null
}

export const listSecrets = (keys: StoreKeys): string[] =>
  keys.kind === 'shopify_app'
    ? [keys.clientSecret]
    : keys.kind === 'shopify_token'
      ? [keys.accessToken, keys.apiSecret]
      : []

/** Like `safeDetail`, without anything that looks like a Shopify token. */
export function cleanMessage(input: unknown, secrets: readonly string[]): string | null {
  return safeDetail(input, secrets)?.replace(/\bshp[a-z]{2,3}_[A-Za-z0-9]+/g, '…') ?? null
}

const OF_STATUS: Readonly<Record<number, StoreProblemCode>> = {
  401: 'shopify_token_revoked',
  402: 'shopify_store_frozen',
  403: 'shopify_scopes_missing',
  404: 'shopify_wrong_shop',
  420: 'shopify_store_paused',
  423: 'shopify_store_paused',
  429: 'rate_limited',
  430: 'rate_limited',
}

/** Classifies a status other than 200, or a 200 without a GraphQL response. */
export function classifyStatus(answer: ShopifyAnswer, secrets: readonly string[]): StoreProblem {
  const detail = cleanMessage(readMessage(answer.body), secrets)
  const code = OF_STATUS[answer.status]
  if (code === 'rate_limited') return new StoreProblem(code, detail, parseRetryAfter(answer))
  if (code) return new StoreProblem(code, detail)
  if (answer.status >= 500) return new StoreProblem('shopify_error', detail ?? `status ${answer.status}`)
  return new StoreProblem(
    'shopify_bad_answer',
    detail ?? (answer.body === undefined ? 'not JSON' : `status ${answer.status}`),
  )
}

function parseRetryAfter({ headers }: ShopifyAnswer): { retryAfterMs?: number } {
  const value = headers['retry-after'] ?? ''
  return /^\d{1,6}(\.\d{1,6})?$/.test(value) ? { retryAfterMs: Math.min(Number(value), 86_400) * 1_000 } : {}
}

/** `errors` is a text, a list of `{ message }`, or an object of lists. */
function readMessage(body: unknown): unknown {
  const errors = at(body, 'errors') ?? at(body, 'error_description') ?? at(body, 'error')
  if (typeof errors === 'string') return errors
  const first = Array.isArray(errors) ? errors[0] : isRecord(errors) ? Object.values(errors)[0] : null
  return isRecord(first) ? first.message : Array.isArray(first) ? first[0] : first
}

const OF_TOKEN: readonly (readonly [word: string, code: StoreProblemCode])[] = [
  ['app_not_installed', 'shopify_app_not_installed'],
  ['shop_not_permitted', 'shopify_wrong_organization'],
  ['application_cannot_be_found', 'shopify_secret_wrong'],
  ['invalid_client', 'shopify_secret_wrong'],
  ['invalid_request', 'shopify_secret_wrong'],
]

/** Why no token was issued. The text is in JSON or in an HTML page. */
export function classifyTokenRefusal(answer: ShopifyAnswer, secrets: readonly string[]): StoreProblem {
  const known = OF_TOKEN.find(([word]) => answer.text.includes(word))
  if (known && answer.status < 500) return new StoreProblem(known[1], cleanMessage(readMessage(answer.body), secrets))
  // Before there is a token, a refusal concerns the keys.
  if (answer.status === 401 || answer.status === 403) return new StoreProblem('shopify_secret_wrong')
  return classifyStatus(answer, secrets)
}

export type WithheldData = 'names' | 'emails' | 'phones' | 'customers' | 'products'

export interface GraphProblem {
  kind: 'throttled' | 'too_costly' | 'lack' | 'transient' | 'other'
  /** Withheld data that the query can omit. */
  lacks: WithheldData[]
  problem: StoreProblem
}

const LACK_OF_SCOPE: Readonly<Record<string, WithheldData>> = { read_customers: 'customers', read_products: 'products' }

/** Summarises the errors of a response: the first that cannot be handled, else the first. null: no errors. */
export function classifyErrors(errors: unknown, secrets: readonly string[]): GraphProblem | null {
  if (errors === undefined || errors === null || (Array.isArray(errors) && errors.length === 0)) return null
  if (!Array.isArray(errors)) return otherProblem(new StoreProblem('shopify_bad_answer', cleanMessage(errors, secrets)))
  const read = errors.slice(0, 100).map((error) => classifyError(error, secrets))
  const worst = read.find(({ kind }) => kind !== 'lack') ?? read[0]!
  return { ...worst, lacks: [...new Set(read.flatMap(({ lacks }) => lacks))] }
}

function classifyError(error: unknown, secrets: readonly string[]): GraphProblem {
  const code = at(error, 'extensions', 'code')
  const words = cleanMessage(at(error, 'message'), secrets)
  switch (code) {
    case 'THROTTLED':
      return { kind: 'throttled', lacks: [], problem: new StoreProblem('rate_limited', words) }
    case 'MAX_COST_EXCEEDED':
      return { kind: 'too_costly', lacks: [], problem: new StoreProblem('shopify_bad_answer', words) }
    case 'INTERNAL_SERVER_ERROR':
    case 'TIMEOUT':
      return { kind: 'transient', lacks: [], problem: new StoreProblem('shopify_error', words) }
    case 'SHOP_INACTIVE':
      return otherProblem(new StoreProblem('shopify_store_paused', words))
    case 'ACCESS_DENIED':
      return classifyDenial(error, words)
    default:
      return otherProblem(new StoreProblem('shopify_bad_answer', words ?? 'an error without words'))
  }
}

const otherProblem = (problem: StoreProblem): GraphProblem => ({ kind: 'other', lacks: [], problem })

const SCOPE = /\b(?:read|write)_[a-z_]{1,60}\b/g

/** Either a missing scope, which is named, or withheld personal data. */
function classifyDenial(error: unknown, words: string | null): GraphProblem {
  const wanted = plainText(at(error, 'extensions', 'requiredAccess'), 500) ?? words ?? ''
  const scopes = [...new Set(wanted.match(SCOPE) ?? [])]
  const [first] = scopes
  if (!first) {
    const problem = new StoreProblem('shopify_protected_data', words)
    return { kind: 'lack', lacks: findWithheld(error), problem }
  }
  const lacks = scopes.flatMap((scope) => LACK_OF_SCOPE[scope] ?? [])
  const problem = new StoreProblem('shopify_scopes_missing', scopes.slice(0, 5).join(', '))
  return lacks.length > 0 ? { kind: 'lack', lacks, problem } : otherProblem(problem)
}

const LACK_OF_FIELD: readonly (readonly [field: RegExp, lack: WithheldData])[] = [
  [/name/i, 'names'],
  [/email/i, 'emails'],
  [/phone/i, 'phones'],
]

/** By the field concerned; all personal data when it is unknown. */
function findWithheld(error: unknown): WithheldData[] {
  const path = at(error, 'path')
  const last = Array.isArray(path) ? path.findLast((part) => typeof part === 'string') : null
  const named = /\bthe (\w{1,40}) field\b/.exec(plainText(at(error, 'message'), 300) ?? '')?.[1]
  const known = LACK_OF_FIELD.find(([field]) => field.test(named ?? last ?? ''))
  return known ? [known[1]] : LACK_OF_FIELD.map(([, lack]) => lack)
}

export interface UserError {
  field: string
  code: string
  words: string
}

/** The errors of a mutation. */
export function userErrors(payload: unknown): UserError[] {
  const list = at(payload, 'userErrors')
  return (Array.isArray(list) ? list : []).slice(0, 20).map((error) => ({
    field: (Array.isArray(at(error, 'field')) ? (at(error, 'field') as unknown[]) : [])
      .map(String)
      .join('.')
      .slice(0, 200),
    code: plainText(at(error, 'code'), 80) ?? '',
    words: plainText(at(error, 'message'), 300) ?? 'The store refused it without a reason.',
  }))
}
