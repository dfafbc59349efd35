import { de } from './de.ts'
import { type CopyId, en, type MailCopy } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'
import { pt } from './pt.ts'

// Finds and formats the texts of a language. Messages are ICU MessageFormat with arguments and plurals, the part that
// catalogues here need: `{name}`, `{count, plural, one {# item} other {# items}}`. Pure.

const catalogues: Readonly<Record<string, MailCopy>> = { en, de, fr, es, it, nl, pt, pl }

/** The language of a tag that has a catalogue: `de` of `de-AT`, else English. */
export function findCopyLanguage(tag: string): string {
  const language = tag.split('-', 1)[0]!.toLowerCase()
  return Object.hasOwn(catalogues, language) ? language : 'en'
}

export type CopyValues = Readonly<Record<string, string | number>>

export function getCopy(id: CopyId, tag: string, values: CopyValues = {}): string {
  const language = findCopyLanguage(tag)
  // The tag's own region counts only where its language is spoken.
  return formatMessage(catalogues[language]![id], values, language === tag.split('-', 1)[0] ? tag : language)
}

type Part =
  | string
  | { argument: string }
  | { argument: string; cases: Readonly<Record<string, readonly Part[]>> }
  | { isCount: true }

const MAX_MEMOS = 1_000
const parsed = new Map<string, readonly Part[]>()
const rules = new Map<string, Intl.PluralRules>()
const numbers = new Map<string, Intl.NumberFormat>()

function memoize<Value>(memos: Map<string, Value>, key: string, create: () => Value): Value {
  const known = memos.get(key)
  if (known !== undefined) return known
  if (memos.size >= MAX_MEMOS) memos.clear()
  const value = create()
  memos.set(key, value)
  return value
}

/** Formats one ICU message. Throws for a message that is not one. */
export function formatMessage(message: string, values: CopyValues, tag: string): string {
  if (!/[{}]/.test(message)) return message
  return formatParts(
    memoize(parsed, message, () => parseMessage(message)),
    values,
    tag,
  )
}

function formatParts(parts: readonly Part[], values: CopyValues, tag: string, count = ''): string {
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') text += part
    else if ('isCount' in part) text += count
    else if (!('cases' in part)) text += values[part.argument] ?? ''
    else {
      const number = Number(values[part.argument])
      const rule = memoize(rules, tag, () => new Intl.PluralRules(tag)).select(number)
      const shown = memoize(numbers, tag, () => new Intl.NumberFormat(tag)).format(number)
      text += formatParts(part.cases[`=${number}`] ?? part.cases[rule] ?? part.cases.other!, values, tag, shown)
    }
  }
  return text
}

const WORD = /^\s*([\w=]+)\s*/

function parseMessage(message: string): readonly Part[] {
  let at = 0
  const fail: () => never = () => {
    throw new Error(`Not an ICU message at ${at}: ${message}`)
  }
  const readWord = (): string => {
    const [all, word] = WORD.exec(message.slice(at)) ?? fail()
    at += all.length
    return word!
  }
  const expect = (character: string) => {
    if (message[at] !== character) fail()
    at += 1
  }
  function readParts(isPlural: boolean): Part[] {
    const parts: Part[] = []
    let text = ''
    const flush = () => {
      if (text) parts.push(text)
      text = ''
    }
    while (at < message.length && message[at] !== '}') {
      const character = message[at]!
      if (character === '{') {
        flush()
        parts.push(readArgument())
      } else if (character === '#' && isPlural) {
        flush()
        parts.push({ isCount: true })
        at += 1
      } else {
        text += character
        at += 1
      }
    }
    flush()
    return parts
  }
  function readArgument(): Part {
    expect('{')
    const argument = readWord()
    if (message[at] === '}') {
      at += 1
      return { argument }
    }
    expect(',')
    if (readWord() !== 'plural') fail()
    expect(',')
    const cases: Record<string, Part[]> = {}
    while (message[at] !== '}') {
      const name = readWord()
      expect('{')
      cases[name] = readParts(true)
      expect('}')
      at += /^\s*/.exec(message.slice(at))![0].length
    }
    expect('}')
    return cases.other ? { argument, cases } : fail()
  }
  const parts = readParts(false)
  return at === message.length ? parts : fail()
}
