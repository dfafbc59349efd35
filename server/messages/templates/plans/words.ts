// What a template does with a shopper's values, read from its text: whether a rendering plan can say the same. What is not known to be
// harmless is not planned. Pure.
import { COUPON_VARIABLES, type TemplateSource } from '../context.ts'
import { splitLiquid } from '../scan.ts'

/** Why a template, or one shape of its mails, is rendered anew for every mail. */
export type NoPlan =
  /** Its text does with a value what is not known here. */
  | 'filter'
  | 'condition'
  | 'loop'
  | 'tag'
  | 'output'
  /** A value stands within a tag, at a web address or beside half of a character reference, or is no part of the mail. */
  | 'place'
  /** It becomes no message with values that only stand for some. */
  | 'refused'
  /** A plan was made, and made another mail than the renderer does. */
  | 'unequal'
  /** Rendering takes so long that a plan is not tried. */
  | 'slow'
  /** A plan was used, and a comparison found another mail. */
  | 'differed'

export interface PlannableWords {
  /** It names items one by one, or counts them: their number is part of a mail's shape. */
  usesItems: boolean
}

export function wordsOf({ subject, body }: Pick<TemplateSource, 'subject' | 'body'>): PlannableWords | NoPlan {
  const seen: Seen = { usesItems: false, loop: null }
  for (const [text, isSubject] of [[subject, true] as const, [body, false] as const]) {
    for (const piece of splitLiquid(text).filter((_, at) => at % 2 === 1)) {
      const problem = problemOf(piece, seen, isSubject)
      if (problem) return problem
    }
  }
  return { usesItems: seen.usesItems }
}

interface Seen {
  usesItems: boolean
  /** What an item is called in the loop. */
  loop: string | null
}

const LONGEST = 300

function problemOf(piece: string, seen: Seen, isSubject: boolean): NoPlan | null {
  const isOutput = piece.startsWith('{{')
  // What is escaped within quotes only Liquid itself can read.
  if (piece.length > LONGEST || piece.includes('\\')) return isOutput ? 'output' : 'tag'
  const inner = piece.slice(2, -2).replace(/^-|-$/g, '')
  const words = inner
    .replace(/'[^']*'|"[^"]*"/g, (quoted) => (quoted.length > 2 ? TEXT : EMPTY))
    .replace(/\s+/g, ' ')
    .trim()
  return isOutput ? outputProblem(words, seen, isSubject) : tagProblem(words, seen)
}

/** What stands for a quoted text. */
const TEXT = "'x'"
const EMPTY = "''"

const COUPON = COUPON_VARIABLES.join('|')
const VALUE = new RegExp(`^(?:customer_name|cart_total|discounted_total|checkout_link|${COUPON})$`)
const OF_ITEMS = /^(?:cart_items(?:\[0\]|\.first|\.last)\.(?:name|quantity|price|total)|cart_items\.size)$/
const OF_LOOP = /^forloop\.(?:index|index0|rindex|rindex0|length|first|last)$/

/** A value that a plan can fill in, or one that it knows. */
function isKnown(path: string, seen: Seen): boolean {
  if (OF_ITEMS.test(path)) seen.usesItems = true
  if (VALUE.test(path) || OF_ITEMS.test(path)) return true
  if (seen.loop === null) return false
  return OF_LOOP.test(path) || ['name', 'quantity', 'price', 'total'].some((name) => path === `${seen.loop}.${name}`)
}

function outputProblem(words: string, seen: Seen, isSubject: boolean): NoPlan | null {
  const [path = '', ...filters] = words.split('|').map((part) => part.trim())
  if (path === 'cart_items') {
    if (isSubject) seen.usesItems = true
    return filters.length > 0 ? 'filter' : null
  }
  if (path === 'store_name') return filters.every((filter) => OF_CONSTANTS.test(filter)) ? null : 'filter'
  if (!isKnown(path, seen)) return 'output'
  return filters.every((filter) => HARMLESS.test(filter)) ? null : 'filter'
}

/** Nothing is escaped here (compile.ts), and whether a value is there is part of the shape. */
const HARMLESS = /^(?:escape|default ?: ?'x?')$/
/** The shop's name is the same in all mails of a plan, and so is what a filter makes of it. */
const OF_CONSTANTS = /^[a-z_]+(?: ?: ?(?:'x?'|\d{1,4})(?: ?, ?(?:'x?'|\d{1,4}))*)?$/

const CLOSING = /^(?:else|endif|endunless|comment|endcomment|break|continue)$/
const CONDITION = /^(?:if|elsif|unless) (.+)$/
const LOOP = /^for ([a-z_][a-z0-9_]*) in (.+)$/i
const OF_CART = /^cart_items(?: (?:limit ?: ?\d{1,3}|offset ?: ?\d{1,3}|reversed))*$/

function tagProblem(words: string, seen: Seen): NoPlan | null {
  if (words === 'endfor') seen.loop = null
  if (words === 'endfor' || CLOSING.test(words)) return null
  const condition = CONDITION.exec(words)?.[1]
  if (condition !== undefined) {
    return condition.split(/ (?:and|or) /).every((term) => isTermKnown(term, seen)) ? null : 'condition'
  }
  const [, item, list] = LOOP.exec(words) ?? []
  if (item === undefined) return 'tag'
  // A loop's own name would hide the variable.
  if (!OF_CART.test(list!) || VALUE.test(item) || RESERVED.has(item)) return 'loop'
  Object.assign(seen, { loop: item, usesItems: true } satisfies Seen)
  return null
}

const RESERVED = new Set(['cart_items', 'store_name', 'forloop', 'blank', 'empty', 'nil', 'null', 'true', 'false'])

const COMPARED = /^(\S+) (==|!=|<=|>=|<|>) (\S+)$/
const NOTHING = /^(?:''|blank|empty|nil|null)$/
const TOTALS = ['discounted_total cart_total', 'cart_total discounted_total']
const COUNTED = /^(?:cart_items\.size|forloop\.(?:index|index0|rindex|rindex0|length))$/

/** Its answer is the same for all mails of a shape: whether a value is there, whether the two totals are equal, how many items there are. */
function isTermKnown(term: string, seen: Seen): boolean {
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
