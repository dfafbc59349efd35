// Finds regular expressions with super-linear running time (ReDoS). Part of `npm run check` and `npm test`.
//
// Each pattern is checked twice: by static analysis (scslre, of eslint-plugin-regexp), and by matching texts built from its parts,
// which finds cases that the analysis misses (`<head[^>]*>` on many `<head`). A comment `// Bounded: …` on the line before excludes a
// pattern and states why its text cannot be long.
import { readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { parseSync, Visitor } from 'oxc-parser'
import { analyse } from 'scslre'

export interface SlowPattern {
  file: string
  line: number
  pattern: string
  why: string
}

const ROOTS = ['server', 'shared', 'storefront', 'demo', 'providers', 'web', 'scripts']

export function findSlowPatterns(roots: readonly string[] = ROOTS): SlowPattern[] {
  const results = new Map<string, string | null>()
  return listSources(roots).flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    return findPatterns(file, source).flatMap(({ pattern, flags, line, isExcused }) => {
      const key = `/${pattern}/${flags}`
      if (!results.has(key)) results.set(key, explainSlowness(pattern, flags))
      const why = results.get(key)
      return why && !isExcused ? [{ file, line, pattern: key, why }] : []
    })
  })
}

const listSources = (roots: readonly string[]): string[] =>
  roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
      .map((name) => `${root}/${name}`),
  )

function findPatterns(file: string, source: string) {
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
    NewExpression({ callee, arguments: [pattern, flags], start }) {
      if (callee.type !== 'Identifier' || callee.name !== 'RegExp' || !pattern) return
      const given = flags?.type === 'Literal' ? String(flags.value) : ''
      if (pattern.type === 'Literal') note(String(pattern.value), given, start)
      // Interpolated values count as a word.
      if (pattern.type === 'TemplateLiteral')
        note(pattern.quasis.map(({ value }) => value.cooked).join('word'), given, start)
    },
  }).visit(program)
  return found
}

/** Returns why the pattern is slow; null: it is fast. */
export function explainSlowness(pattern: string, flags: string): string | null {
  const isSticky = flags.includes('y')
  const { reports } = analyse({ source: pattern, flags })
  const report = reports.find(({ type }) => type !== 'Move' || !isSticky)
  if (report) return report.exponential ? 'exponential' : `quadratic or worse (${report.type})`
  const worst = isSticky ? undefined : buildTexts(pattern, flags).find((text) => isSlowOn(pattern, flags, text))
  return worst === undefined ? null : `quadratic or worse on many ${JSON.stringify(worst)}`
}

/** Texts to repeat: the prefix of each quantifier, one iteration, and both together. */
function buildTexts(pattern: string, flags: string): string[] {
  const modes = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') }
  const tree = new RegExpParser().parsePattern(pattern, 0, pattern.length, modes)
  const texts = new Set<string>()
  const walk = (alternatives: readonly AST.Alternative[], before: string) => {
    for (const { elements } of alternatives) {
      let prefix = before
      for (const element of elements) {
        const inner = element.type === 'Quantifier' ? element.element : element
        if (element.type === 'Quantifier' && element.max > 10) {
          const round = buildSample(inner, flags)
          for (const text of [prefix, round, prefix + round]) if (text) texts.add(text)
        }
        if ('alternatives' in inner) walk(inner.alternatives, prefix)
        prefix += buildSample(element, flags)
      }
    }
  }
  walk(tree.alternatives, '')
  return [...texts]
}

const CANDIDATES = [...'a0A -_./:;,<>"\'=@%{}()[]|#&!?+*\\\t\n~^$`', 'é', '\ue000']

function buildSample(element: AST.Element | AST.QuantifiableElement, flags: string): string {
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
      return element.alternatives[0]!.elements.map((each) => buildSample(each, flags)).join('')
    case 'Quantifier':
      return buildSample(element.element, flags).repeat(Math.max(1, Math.min(element.min, 20)))
    default:
      return ''
  }
}

const LONGEST = 50_000
const LIMIT_MS = 25
/** Maximum time relative to a reference pattern of 64 steps per character, which is much for a linear pattern. */
const MAX_STEADY_RATIO = 2

/** Increases the length stepwise, so that even exponential patterns end quickly. */
function isSlowOn(pattern: string, flags: string, text: string): boolean {
  for (const end of ['\0', '\n\0', '']) {
    for (let length = 20; length <= LONGEST; length *= length < 1_000 ? 2 : Math.sqrt(6)) {
      const tried = text.repeat(Math.ceil(length / text.length)) + end
      const isLong = () => measureCpuMs(pattern, flags, tried) > LIMIT_MS
      // Compares with the reference pattern, because slow machines are slow for every pattern.
      if (isLong() && isLong() && measureCpuMs(pattern, flags, tried) > MAX_STEADY_RATIO * measureSteadyMs())
        return true
    }
  }
  return false
}

const measureSteadyMs = (): number => measureCpuMs('[^ ]{1,64}@', '', 'a'.repeat(LONGEST))

function measureCpuMs(pattern: string, flags: string, text: string): number {
  const regex = new RegExp(pattern, flags)
  const before = process.threadCpuUsage()
  regex.test(text)
  return process.threadCpuUsage(before).user / 1_000
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const slow = findSlowPatterns()
  for (const { file, line, pattern, why } of slow) console.error(`${file}:${line} ${pattern}\n    ${why}`)
  if (slow.length > 0) {
    console.error(`\n${slow.length} patterns whose time grows faster than their text. Read the text by index, or let no two parts
take the same characters; for a text that cannot be long say so in a comment on the line before: // Bounded: …`)
    process.exitCode = 1
  }
}
