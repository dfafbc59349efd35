// Reads from a template's text how it uses the shopper's values, and whether a rendering plan can do the same. A use
// that is not known to be harmless gets no plan. Pure.
import { COUPON_VARIABLES, type TemplateSource } from '../context.ts'
import { splitLiquid } from '../scan.ts'

/** Why a template, or one shape of its mails, is rendered in full for every mail. */
export type NoPlan =
  /** Its text uses a value in a way that is not known here. */
  | 'filter'
  | 'condition'
  | 'loop'
  | 'tag'
  | 'output'
  /** A value is within a tag, next to a web address or half of a character reference, or missing from the mail. */
  | 'place'
  /** The renderer refuses the message with placeholders as values. */
  | 'refused'
  /** A plan was made, but its mail differed from the renderer's. */
  | 'unequal'
  /** Rendering takes so long that a plan is not tried. */
  | 'slow'
  /** A plan was used, and a comparison found that its mail differed from the renderer's. */
  | 'differed'

export interface TemplateAnalysis {
  /** It prints items one by one, or counts them, so their number is part of a mail's shape. */
  usesItems: boolean
}

export function analyzeTemplate({
  subject,
  body,
}: Pick<TemplateSource, 'subject' | 'body'>): TemplateAnalysis | NoPlan {
  const seen: AnalysisState = { usesItems: false, loop: null }
  for (const [text, isSubject] of [[subject, true] as const, [body, false] as const]) {
    for (const piece of splitLiquid(text).filter((_, at) => at % 2 === 1)) {
      const problem = findPieceProblem(piece, seen, isSubject)
      if (problem) return problem
    }
  }
  return { usesItems: seen.usesItems }
}

interface AnalysisState {
  usesItems: boolean
  /** Name of the item variable in the current loop. */
  loop: string | null
}

const MAX_PIECE_LENGTH = 300

function findPieceProblem(piece: string, seen: AnalysisState, isSubject: boolean): NoPlan | null {
  const isOutput = piece.startsWith('{{')
  // Only Liquid itself can read escapes within quotes.
  if (piece.length > MAX_PIECE_LENGTH || piece.includes('\\')) return isOutput ? 'output' : 'tag'
  const inner = piece.slice(2, -2).replace(/^-|-$/g, '')
  const words = inner
    .replace(/'[^']*'|"[^"]*"/g, (quoted) => (quoted.length > 2 ? TEXT : EMPTY))
    .replace(/\s+/g, ' ')
    .trim()
  return isOutput ? findOutputProblem(words, seen, isSubject) : findTagProblem(words, seen)
}

/** Replacement of a quoted text. */
const TEXT = "'x'"
const EMPTY = "''"

const COUPON = COUPON_VARIABLES.join('|')
const VALUE = new RegExp(`^(?:customer_name|cart_total|discounted_total|checkout_link|${COUPON})$`)
const ITEM_PATH = /^(?:cart_items(?:\[0\]|\.first|\.last)\.(?:name|quantity|price|total)|cart_items\.size)$/
const LOOP_PATH = /^forloop\.(?:index|index0|rindex|rindex0|length|first|last)$/

/** Whether a plan can fill in this value or knows it. */
function isKnown(path: string, seen: AnalysisState): boolean {
  if (ITEM_PATH.test(path)) seen.usesItems = true
  if (VALUE.test(path) || ITEM_PATH.test(path)) return true
  if (seen.loop === null) return false
  return LOOP_PATH.test(path) || ['name', 'quantity', 'price', 'total'].some((name) => path === `${seen.loop}.${name}`)
}

function findOutputProblem(words: string, seen: AnalysisState, isSubject: boolean): NoPlan | null {
  const [path = '', ...filters] = words.split('|').map((part) => part.trim())
  if (path === 'cart_items') {
    if (isSubject) seen.usesItems = true
    return filters.length > 0 ? 'filter' : null
  }
  if (path === 'store_name') return filters.every((filter) => CONSTANT_FILTER.test(filter)) ? null : 'filter'
  if (!isKnown(path, seen)) return 'output'
  return filters.every((filter) => HARMLESS.test(filter)) ? null : 'filter'
}

/** These escape nothing (compile.ts), and whether a value is present is part of the shape. */
const HARMLESS = /^(?:escape|default ?: ?'x?')$/
/** All mails of a plan have the same shop name, so a filter's result is the same, too. */
const CONSTANT_FILTER = /^[a-z_]+(?: ?: ?(?:'x?'|\d{1,4})(?: ?, ?(?:'x?'|\d{1,4}))*)?$/

const CLOSING = /^(?:else|endif|endunless|comment|endcomment|break|continue)$/
const CONDITION = /^(?:if|elsif|unless) (.+)$/
const LOOP = /^for ([a-z_][a-z0-9_]*) in (.+)$/i
const CART_LIST = /^cart_items(?: (?:limit ?: ?\d{1,3}|offset ?: ?\d{1,3}|reversed))*$/

function findTagProblem(words: string, seen: AnalysisState): NoPlan | null {
  if (words === 'endfor') seen.loop = null
  if (words === 'endfor' || CLOSING.test(words)) return null
  const condition = CONDITION.exec(words)?.[1]
  if (condition !== undefined) {
    return condition.split(/ (?:and|or) /).every((term) => isTermKnown(term, seen)) ? null : 'condition'
  }
  const [, item, list] = LOOP.exec(words) ?? []
  if (item === undefined) return 'tag'
  // A loop variable of this name would hide the value.
  if (!CART_LIST.test(list!) || VALUE.test(item) || RESERVED.has(item)) return 'loop'
  Object.assign(seen, { loop: item, usesItems: true } satisfies AnalysisState)
  return null
}

const RESERVED = new Set(['cart_items', 'store_name', 'forloop', 'blank', 'empty', 'nil', 'null', 'true', 'false'])

const COMPARED = /^(\S+) (==|!=|<=|>=|<|>) (\S+)$/
const NOTHING = /^(?:''|blank|empty|nil|null)$/
const TOTALS = ['discounted_total cart_total', 'cart_total discounted_total']
const COUNTED = /^(?:cart_items\.size|forloop\.(?:index|index0|rindex|rindex0|length))$/

/** Whether the term's result is the same for all mails of a shape: presence, equal totals, number of items. */
function isTermKnown(term: string, seen: AnalysisState): boolean {
  const [, left, sign, right] = COMPARED.exec(term) ?? []
  if (left === undefined) return term === 'cart_items' || isKnown(term, seen)
  const isEquality = sign === '==' || sign === '!='
  if (TOTALS.includes(`${left} ${right}`)) return isEquality
  if (left === 'store_name') return isEquality && (right === TEXT || NOTHING.test(right!))
  if (COUNTED.test(left) && /^\d{1,4}$/.test(right!)) return isKnown(left, seen)
  if (!isEquality || !NOTHING.test(right!)) return false
  if (left === 'cart_items') seen.usesItems = true
  return left === 'cart_items' || isKnown(left, seen)
}
