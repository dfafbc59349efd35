// Finds regular expressions whose time grows faster than the text they are tried on (ReDoS). Part of `npm run check` and `npm test`.
//
// Each pattern is looked at twice: by analysis (scslre, of eslint-plugin-regexp), and by trying it on texts built from its own parts,
// which finds what the analysis does not (`<head[^>]*>` on many `<head`). An exception is a comment on the line before,
// `// Bounded: …`, that says why its text cannot be long.
import { readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { parseSync, Visitor } from 'oxc-parser'
import { analyse } from 'scslre'

export interface Slow {
  file: string
  line: number
  pattern: string
  why: string
}

const ROOTS = ['server', 'shared', 'storefront', 'demo', 'web', 'scripts']

export function slowPatterns(roots: readonly string[] = ROOTS): Slow[] {
  const known = new Map<string, string | null>()
  return sourcesOf(roots).flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    return patternsOf(file, source).flatMap(({ pattern, flags, line, isExcused }) => {
      const key = `/${pattern}/${flags}`
      if (!known.has(key)) known.set(key, whySlow(pattern, flags))
      const why = known.get(key)
      return why && !isExcused ? [{ file, line, pattern: key, why }] : []
    })
  })
}

const sourcesOf = (roots: readonly string[]): string[] =>
  roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
      .map((name) => `${root}/${name}`),
  )

function patternsOf(file: string, source: string) {
  const found: { pattern: string; flags: string; line: number; isExcused: boolean }[] = []
  const note = (pattern: string, flags: string, start: number) => {
    const above = source.slice(0, start).split('\n')
    const line = above.length
    found.push({ pattern, flags, line, isExcused: /^\s*\/\/ Bounded: \S/.test(above.at(-2) ?? '') })
  }
  const { program } = parseSync(file, source)
  new Visitor({
    Literal(node) {
      if ('regex' in node) note(node.regex.pattern, node.regex.flags, node.start)
    },
    NewExpression({ callee, arguments: [made, flags], start }) {
      if (callee.type !== 'Identifier' || callee.name !== 'RegExp' || !made) return
      const given = flags?.type === 'Literal' ? String(flags.value) : ''
      if (made.type === 'Literal') note(String(made.value), given, start)
      // What is filled in is taken for a word.
      if (made.type === 'TemplateLiteral') note(made.quasis.map(({ value }) => value.cooked).join('word'), given, start)
    },
  }).visit(program)
  return found
}

/** Why it is slow; null: it is not. */
export function whySlow(pattern: string, flags: string): string | null {
  const isSticky = flags.includes('y')
  const { reports } = analyse({ source: pattern, flags })
  const report = reports.find(({ type }) => type !== 'Move' || !isSticky)
  if (report) return report.exponential ? 'exponential' : `quadratic or worse (${report.type})`
  const worst = isSticky ? undefined : textsFor(pattern, flags).find((text) => isSlowOn(pattern, flags, text))
  return worst === undefined ? null : `quadratic or worse on many ${JSON.stringify(worst)}`
}

/** Texts to be repeated: what stands before each repetition, alone and with one round of it. */
function textsFor(pattern: string, flags: string): string[] {
  const modes = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') }
  const tree = new RegExpParser().parsePattern(pattern, 0, pattern.length, modes)
  const texts = new Set<string>()
  const walk = (alternatives: readonly AST.Alternative[], before: string) => {
    for (const { elements } of alternatives) {
      let so = before
      for (const element of elements) {
        const inner = element.type === 'Quantifier' ? element.element : element
        if (element.type === 'Quantifier' && element.max > 10) {
          const round = sampleOf(inner, flags)
          for (const text of [so, round, so + round]) if (text) texts.add(text)
        }
        if ('alternatives' in inner) walk(inner.alternatives, so)
        so += sampleOf(element, flags)
      }
    }
  }
  walk(tree.alternatives, '')
  return [...texts]
}

const CANDIDATES = [...'a0A -_./:;,<>"\'=@%{}()[]|#&!?+*\\\t\n~^$`', 'é', '\ue000']

function sampleOf(element: AST.Element | AST.QuantifiableElement, flags: string): string {
  switch (element.type) {
    case 'Character':
      return String.fromCodePoint(element.value)
    case 'CharacterClass':
    case 'CharacterSet': {
      const isOne = new RegExp(`^${element.raw}$`, flags.replace(/[gym]/g, ''))
      return CANDIDATES.find((candidate) => isOne.test(candidate)) ?? ''
    }
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives[0]!.elements.map((each) => sampleOf(each, flags)).join('')
    case 'Quantifier':
      return sampleOf(element.element, flags).repeat(Math.max(1, Math.min(element.min, 20)))
    default:
      return ''
  }
}

const LONGEST = 50_000
const LIMIT_MS = 25
/** Of a pattern that takes 64 steps for each character of the longest text, which is much for one that is not slow. */
const MOST_OF_STEADY = 2

/** Grown step by step, so that even an exponential one costs a moment. */
function isSlowOn(pattern: string, flags: string, text: string): boolean {
  for (const end of ['\0', '\n\0', '']) {
    for (let length = 20; length <= LONGEST; length *= length < 1_000 ? 2 : Math.sqrt(6)) {
      const tried = text.repeat(Math.ceil(length / text.length)) + end
      const isLong = () => cpuMs(pattern, flags, tried) > LIMIT_MS
      // A slow machine takes long for anything.
      if (isLong() && isLong() && cpuMs(pattern, flags, tried) > MOST_OF_STEADY * steadyMs()) return true
    }
  }
  return false
}

const steadyMs = (): number => cpuMs('[^ ]{1,64}@', '', 'a'.repeat(LONGEST))

function cpuMs(pattern: string, flags: string, text: string): number {
  const regex = new RegExp(pattern, flags)
  const before = process.threadCpuUsage()
  regex.test(text)
  return process.threadCpuUsage(before).user / 1_000
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const slow = slowPatterns()
  for (const { file, line, pattern, why } of slow) console.error(`${file}:${line} ${pattern}\n    ${why}`)
  if (slow.length > 0) {
    console.error(`\n${slow.length} patterns whose time grows faster than their text. Read the text by index, or let no two parts
take the same characters; for a text that cannot be long say so in a comment on the line before: // Bounded: …`)
    process.exitCode = 1
  }
}
