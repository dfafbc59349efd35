// The used part of Shopify's search syntax: terms separated by spaces (AND), `field:value`, comparators, quotes.
// Shopify ignores an unknown field with a warning; here it is an error, so that no filter is lost silently.
import { GraphQLError } from 'graphql'

export interface Term {
  field: string
  operator: '=' | '>' | '>=' | '<' | '<='
  value: string
}

export function parseSearch(text: string): Term[] {
  const terms: Term[] = []
  const pattern = /\s*([a-z_]{1,40}):(>=|<=|>|<)?(?:'([^']*)'|"([^"]*)"|([^\s'"]+))/y
  let at = 0
  const rest = text.trim()
  while (at < rest.length) {
    pattern.lastIndex = at
    const match = pattern.exec(rest)
    if (!match) throw createUnknownFieldError(rest.slice(at))
    at = pattern.lastIndex
    const [, field = '', operator = '=', single, double, bare] = match
    const value = single ?? double ?? bare ?? ''
    if (/^(AND|OR|NOT)$/.test(value)) throw createUnknownFieldError(value)
    terms.push({ field, operator: operator as Term['operator'], value })
    const and = /\s+AND(?=\s)/y
    and.lastIndex = at
    if (and.exec(rest)) at = and.lastIndex
  }
  return terms
}

export const createUnknownFieldError = (part: string) =>
  new GraphQLError(`This server does not know the search "${part.slice(0, 80)}".`, {
    extensions: { code: 'NOT_MODELLED' },
  })

/** A searchable field: its SQL expression and value type. */
export interface Searchable {
  sql: string
  as: 'time' | 'id' | 'text' | 'number'
}

export interface Condition {
  sql: string
  values: (string | number)[]
}

/** `special` handles terms that are no plain comparison; it returns null for others. */
export function buildCondition(
  text: string | null | undefined,
  fields: Record<string, Searchable>,
  special: (term: Term) => Condition | null = () => null,
): Condition {
  const parts = parseSearch(text ?? '').map((term) => special(term) ?? compareTerm(term, fields))
  return { sql: parts.map(({ sql }) => ` and (${sql})`).join(''), values: parts.flatMap(({ values }) => values) }
}

function compareTerm(term: Term, fields: Record<string, Searchable>): Condition {
  const field = fields[term.field]
  if (!field) throw createUnknownFieldError(`${term.field}:`)
  if (field.as === 'time') return compareTime(term, field)
  if (field.as === 'text' && term.operator !== '=') throw createUnknownFieldError(`${term.field}:${term.operator}`)
  const value = field.as === 'text' ? term.value : parseNumber(term.value)
  if (Number.isNaN(value)) throw createUnknownFieldError(`${term.field}:${term.value}`)
  const sql = field.as === 'text' ? `lower(${field.sql}) = lower(?)` : `${field.sql} ${term.operator} ?`
  return { sql, values: [value] }
}

/** Parses a number or the id at the end of a gid. */
function parseNumber(value: string): number {
  const text = value.startsWith('gid://') ? value.slice(value.lastIndexOf('/') + 1) : value
  return /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
}

/** Searches have a precision of seconds; stored instants are finer. */
function compareTime({ operator, value }: Term, { sql }: Searchable): Condition {
  const at = Date.parse(value)
  if (Number.isNaN(at)) throw createUnknownFieldError(value)
  if (operator === '=') return { sql: `${sql} >= ? and ${sql} < ?`, values: [at, at + 1000] }
  const shifted = operator === '>' || operator === '<=' ? at + 1000 : at
  return { sql: `${sql} ${operator === '>' || operator === '>=' ? '>=' : '<'} ?`, values: [shifted] }
}
