import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// docs/rules.md and its pages hold every rule of the engine and every numbered decision. Code, tests and docs cite them
// as `S3` or `decision 27`; a citation without a target fails.

const FOLDERS = [
  'server',
  'shared',
  'web',
  'storefront',
  'plugin',
  'demo',
  'providers',
  'db',
  'test',
  'e2e',
  'screens',
  'proofs',
  'bench',
  'scripts',
  'docs',
]
const TEXT = /(\.(tsx?|mjs|php|sql|md|css|html|liquid)|\.env\.example)$/
/** Excludes recorded data of others, and this file, which has wrong examples. */
const EXCLUDED = /^test\/(fixtures\/|rules\.test\.ts$|spec\.ts$)/
/** Sections of the specification (`test/spec.ts`). */
const TAGS = /\btags: \[[^\]]*\]/g

interface Citation {
  id: string
  line: number
}

/** `D3`, alone or in a list or range. Times (`T10:00`), escapes (`%A4`), ids in paths and `X11; Linux` do not count. */
const RULE = /(?<![\w%}$.#-])[SDCAFTXYPZ]\d{1,2}(?![\w%:-]|; Linux)/g
/** Any other letter and number in parentheses: `(N5)`, `(S3, N5)`. */
const IN_BRACKETS = /(?<=\s\((?:[^()\n]{0,60}, )?)[BEG-OQRU-W]\d{1,3}(?=[,)])/g
/** `decision 27`, `decisions 4, 11 and 14`, also across lines of a comment. */
const DECISIONS =
  /\bdecisions?\s+(?:(?:\/\/|\*|--|#)\s*)?(\d{1,3}\b(?:(?:,\s|\sand\s|\sto\s|\sor\s|–)(?:decisions?\s)?\d{1,3}\b)*)/gi
/** A bare number in parentheses, in a comment or a test's title, does not say what it cites. */
const BARE = /(?:^\s*(?:\/\/|\/?\*|--)|\s\/\/ |\b(?:test|it|describe)\(['"`]).*?\s\((\d{1,3}(?:, \d{1,3})*)\)/g

function findCitations(source: string): Citation[] {
  const text = source.replace(TAGS, (tags) => tags.replace(/[^\n]/g, ' '))
  const countLine = (index: number) => text.slice(0, index).split('\n').length
  const rules = [...text.matchAll(RULE), ...text.matchAll(IN_BRACKETS)].map((match) => ({
    id: match[0],
    line: countLine(match.index),
  }))
  const decisions = [...text.matchAll(DECISIONS)].flatMap((match) =>
    match[1]!.match(/\d+/g)!.map((number) => ({ id: `decision ${number}`, line: countLine(match.index) })),
  )
  return [...rules, ...decisions]
}

const findBareNumbers = (text: string): Citation[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(BARE)].flatMap((match) =>
        match[1]!.split(', ').map((number) => ({ id: `decision ${number}`, line: index + 1 })),
      ),
    )

const pages = readdirSync('docs/rules').map((name) => `docs/rules/${name}`)
const headings = pages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/^### (.+)$/gm)].map(([, heading]) => heading!),
)
const known = new Set(headings.map((heading) => heading.replace('Decision', 'decision')))

const files = [
  ...readdirSync('.').filter((name) => TEXT.test(name)),
  ...FOLDERS.flatMap((folder) => listFiles(folder)).filter((file) => TEXT.test(file) && !EXCLUDED.test(file)),
]

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name.replaceAll('\\', '/')}`,
    )
  } catch {
    return []
  }
}

test('every rule and decision cited in code, tests and docs exists in docs/rules', () => {
  const unknown = files.flatMap((file) =>
    findCitations(readFileSync(file, 'utf8'))
      .filter(({ id }) => !known.has(id))
      .map(({ id, line }) => `${file}:${line} cites ${id}, which is not in docs/rules`),
  )
  expect(unknown).toEqual([])
})

test('a decision is cited with its word, never by its number alone', () => {
  const bare = files
    .filter((file) => !file.endsWith('.md'))
    .flatMap((file) =>
      findBareNumbers(readFileSync(file, 'utf8'))
        .filter(({ id }) => known.has(id))
        .map(({ id, line }) => `${file}:${line} cites a bare number: write “${id}”`),
    )
  expect(bare).toEqual([])
})

test('every rule appears once, under its own id, on a page that docs/rules.md lists', () => {
  expect(headings.filter((heading) => !/^([SDCAFTXYPZ]|Decision )\d+$/.test(heading))).toEqual([])
  expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([])
  const index = readFileSync('docs/rules.md', 'utf8')
  expect(pages.filter((page) => !index.includes(`(${page.replace('docs/', '')})`))).toEqual([])
})

test('every decision page is listed under its own name', () => {
  const index = readFileSync('docs/README.md', 'utf8')
  const named = readdirSync('docs/decisions')
  expect(named.filter((name) => /^\d/.test(name) || !index.includes(`(decisions/${name})`))).toEqual([])
})

test('all forms of citations are found, and look-alikes are ignored', () => {
  const findIds = (text: string) => findCitations(text).map(({ id }) => id)
  expect(findIds('// Never twice (D99), as X1–X3 say; see C8.')).toEqual(['D99', 'X1', 'X3', 'C8'])
  expect(findIds("test('the mailbox is marked (S3, N5)')")).toEqual(['S3', 'N5'])
  expect(findIds('Decisions 4, 11 and 260, or area decision\n// 61.')).toEqual([
    'decision 4',
    'decision 11',
    'decision 260',
    'decision 61',
  ])
  const others = "'T10:00:00Z' '%E0%A4%A' (X11; Linux) day}T19:30 d='M3 5A9.5 2' #D3D3D3 A 2.3 B 5 SHA256 utf8"
  expect(findIds(others)).toEqual([])
  expect(findCitations('\n\n// S77').map(({ line }) => line)).toEqual([3])
  expect(
    findBareNumbers("// Open in every state (27).\ntest('currencies stand apart (21)')\n// at(27) f(x, 21)"),
  ).toEqual([
    { id: 'decision 27', line: 1 },
    { id: 'decision 21', line: 2 },
  ])
})
