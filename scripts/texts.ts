// Lists every text that a person can meet, by area: npm run texts [-- --area NAME]. For reading them in one go.
import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parseSync, Visitor } from 'oxc-parser'

export interface FoundText {
  line: number
  text: string
}

/** The first area whose pattern matches the file has its texts. */
const areas: readonly [name: string, pattern: RegExp][] = [
  ['plugin', /^plugin\//],
  ['storefront', /^storefront\//],
  [
    'shopper',
    /^(web\/features\/restore\/|shared\/delivery\/|shared\/workspace\/kept|server\/workspace\/privacy\/retention-page)/,
  ],
  ['faq', /\/faq/i],
  ['site', /^web\/screens\/(landing|site)\//],
  ['mails', /^(server\/messages\/templates\/|server\/workspace\/notification-mails\/|server\/.*mails?\.ts$)/],
  ['demo', /^(demo|providers(?!\/(contracts|\w+\/(graphql|rest|schema))\/))\//],
  ['app', /^web\//],
  ['server', /^(shared|server)\//],
]
const ROOTS = ['web', 'shared', 'server', 'storefront', 'plugin/recoup-for-woocommerce', 'demo', 'providers']

/** Attributes and properties whose value is read by people even if it is one word. */
const SPOKEN = /^(aria-label|alt|label|title|placeholder|description|text|hint|heading|message|name|subject|error)$/
/** Their strings are for programmers: logs, API descriptions, programming errors. */
const UNSPOKEN = /^(className|class|style|summary|path|key|id|href|src|rel|type|d|pattern|sql)$/

/** The texts of one TypeScript or TSX file, in order. */
export function findTexts(file: string, source: string): FoundText[] {
  const found = new Map<number, string>()
  const ignored: [start: number, end: number][] = []
  const spoken = new Set<number>()
  const note = (start: number, text: string) => {
    const plain = text.replace(/\s+/g, ' ').trim()
    const isSpoken = spoken.has(start) ? /\p{L}{2}/u.test(plain) && !/^[a-z][-_:/.\w]*$/.test(plain) : isSentence(plain)
    if (isSpoken) found.set(start, plain)
  }
  const ignore = ({ start, end }: { start: number; end: number }) => ignored.push([start, end])
  const visitor = new Visitor({
    ImportDeclaration: ignore,
    TSLiteralType: ignore,
    TaggedTemplateExpression: ignore,
    ThrowStatement({ argument }) {
      const isForProgrammers =
        argument.type === 'NewExpression' && 'name' in argument.callee && argument.callee.name === 'Error'
      if (isForProgrammers) ignore(argument)
    },
    CallExpression({ callee, arguments: values }) {
      const name = source.slice(callee.start, callee.end)
      if (/^(console|log|deps\.log|logger)\./.test(name) || /(query|raw|querySelector(All)?|RegExp)$/.test(name))
        for (const value of values) ignore(value)
    },
    Property({ key, value }) {
      const name = source.slice(key.start, key.end).replace(/['"]/g, '')
      if (UNSPOKEN.test(name)) ignore(value)
      if (key.type === 'Literal') ignore(key)
      if (SPOKEN.test(name)) spoken.add(value.start)
    },
    JSXAttribute({ name, value }) {
      const attribute = source.slice(name.start, name.end)
      if (value && UNSPOKEN.test(attribute)) ignore(value)
      if (value && SPOKEN.test(attribute))
        spoken.add(value.type === 'JSXExpressionContainer' ? value.expression.start : value.start)
    },
    JSXText({ start, value }) {
      const lead = value.length - value.trimStart().length
      if (/\p{L}{2}/u.test(value)) found.set(start + lead, value.replace(/\s+/g, ' ').trim())
    },
    Literal({ start, value }) {
      if (typeof value === 'string') note(start, value)
    },
    TemplateLiteral({ start, quasis }) {
      note(start, quasis.map(({ value }) => value.cooked ?? '').join('…'))
    },
  })
  visitor.visit(parseSync(file, source).program)
  return [...found]
    .filter(([start]) => !ignored.some(([from, to]) => start >= from && start < to))
    .toSorted(([a], [b]) => a - b)
    .map(([start, text]) => ({ line: countLines(source, start), text }))
}

/** Two words or more, not code: begins like a sentence or ends like one. */
function isSentence(text: string): boolean {
  if (
    !/\p{L}{2}[,:;]? \S/u.test(text) ||
    /[{}<>=|\\]|;$|::|--|^\W*(select|insert|update|delete|with|create) /i.test(text)
  )
    return false
  return /^[“"'(…\d]*\p{Lu}/u.test(text) || /[.!?…]$/.test(text)
}

const countLines = (source: string, end: number) => source.slice(0, end).split('\n').length

const PHP_TEXT = /\b_[_ex]\(\s*'((?:[^'\\]|\\.)*)'|\b(?:esc_\w+_[_ex]|_n|_x)\(\s*'((?:[^'\\]|\\.)*)'/g

/** The texts that the plugin gives to WordPress for translation. */
export const findPhpTexts = (source: string): FoundText[] =>
  [...source.matchAll(PHP_TEXT)].map((match) => ({
    line: countLines(source, match.index),
    text: (match[1] ?? match[2] ?? '').replace(/\\'/g, "'"),
  }))

export const findArea = (file: string): string | null => areas.find(([, pattern]) => pattern.test(file))?.[0] ?? null

const listFiles = (): string[] =>
  ROOTS.flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => `${root}/${name}`))
    .filter((file) => /\.(tsx?|php)$/.test(file) && !/\.test\.tsx?$|\.d\.ts$/.test(file))
    .toSorted()

function printTexts(only: string | undefined): void {
  const seen = new Set<string>()
  for (const [area] of areas.filter(([name]) => !only || name === only)) {
    process.stdout.write(`\n# ${area}\n`)
    for (const file of listFiles().filter((each) => findArea(each) === area)) {
      const source = readFileSync(file, 'utf8')
      for (const { line, text } of file.endsWith('.php') ? findPhpTexts(source) : findTexts(file, source)) {
        if (seen.has(text)) continue
        seen.add(text)
        process.stdout.write(`${file}:${line}  ${text}\n`)
      }
    }
  }
}

if (import.meta.main) {
  const { area } = parseArgs({ options: { area: { type: 'string' } } }).values
  if (!area || areas.some(([name]) => name === area)) printTexts(area)
  else {
    process.stderr.write(`Usage: npm run texts [-- --area ${areas.map(([name]) => name).join('|')}]\n`)
    process.exitCode = 1
  }
}
