// Shopify's search syntax, as much of it as apps here use: terms joined by blanks (all must hold), `field:value`, comparators, quotes.
// Shopify drops a field that it does not know with a warning; here that is an error, so that no filter is lost in silence.
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
    if (!match) throw unknownSearch(rest.slice(at))
    at = pattern.lastIndex
    const [, field = '', operator = '=', single, double, bare] = match
    const value = single ?? double ?? bare ?? ''
    if (/^(AND|OR|NOT)$/.test(value)) throw unknownSearch(value)
    terms.push({ field, operator: operator as Term['operator'], value })
    const and = /\s+AND(?=\s)/y
    and.lastIndex = at
    if (and.exec(rest)) at = and.lastIndex
  }
  return terms
}

export const unknownSearch = (part: string) =>
  new GraphQLError(`This server does not know the search "${part.slice(0, 80)}".`, {
    extensions: { code: 'NOT_MODELLED' },
  })

/** How a field is looked for in a table: what stands in SQL, and what the value must be. */
export interface Searchable {
  sql: string
  as: 'time' | 'id' | 'text' | 'number'
}

export interface Condition {
  sql: string
  values: (string | number)[]
}

/** `special` answers what is no plain comparison; null: it is not special. */
export function conditionOf(
  text: string | null | undefined,
  fields: Record<string, Searchable>,
  special: (term: Term) => Condition | null = () => null,
): Condition {
  const parts = parseSearch(text ?? '').map((term) => special(term) ?? compared(term, fields))
  return { sql: parts.map(({ sql }) => ` and (${sql})`).join(''), values: parts.flatMap(({ values }) => values) }
}

function compared(term: Term, fields: Record<string, Searchable>): Condition {
  const field = fields[term.field]
  if (!field) throw unknownSearch(`${term.field}:`)
  if (field.as === 'time') return comparedTime(term, field)
  if (field.as === 'text' && term.operator !== '=') throw unknownSearch(`${term.field}:${term.operator}`)
  const value = field.as === 'text' ? term.value : numberOf(term.value)
  if (Number.isNaN(value)) throw unknownSearch(`${term.field}:${term.value}`)
  const sql = field.as === 'text' ? `lower(${field.sql}) = lower(?)` : `${field.sql} ${term.operator} ?`
  return { sql, values: [value] }
}

/** A number, or the id at the end of a gid. */
function numberOf(value: string): number {
  const text = value.startsWith('gid://') ? value.slice(value.lastIndexOf('/') + 1) : value
  return /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
}

/** Instants are kept finer than the second that a search can say. */
function comparedTime({ operator, value }: Term, { sql }: Searchable): Condition {
  const at = Date.parse(value)
  if (Number.isNaN(at)) throw unknownSearch(value)
  if (operator === '=') return { sql: `${sql} >= ? and ${sql} < ?`, values: [at, at + 1000] }
  const shifted = operator === '>' || operator === '<=' ? at + 1000 : at
  return { sql: `${sql} ${operator === '>' || operator === '>=' ? '>=' : '<'} ?`, values: [shifted] }
}
