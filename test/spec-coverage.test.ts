import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// docs/spec-coverage.md says of each thing the specification asks for which test proves it. Here it is held to that.

const SECTIONS = [
  'A 1',
  'A 2.1',
  'A 2.2',
  'A 2.3',
  'A 2.4',
  'A 2.5',
  'A 2.6',
  'A 2.7',
  'A 2.8',
  'A 2.9',
  'A 2.10',
  'A 2.11',
  'A 2.12',
  'A 3',
  'A 4.1',
  'A 4.2',
  'A 4.3',
  'A 4.4',
  'A 4.5',
  'A 4.6',
  'A 4.7',
  'A 5',
  'A 6',
  'A 7',
  'A 8',
  'A 9',
  'B 1',
  'B 2',
  'B 3',
  'B 4',
  'B 5',
  'B 6',
  'B 7',
  'B 8',
  'B 9',
  'Added:',
]
const page = readFileSync('docs/spec-coverage.md', 'utf8')

/** `| A 2.1 /landing | file | test |`, or a reason in place of file and test. `Added:` is ours beyond the specification. */
const rows = page
  .split('\n')
  .filter((line) => /^\| (?:[AB]|Added:) /.test(line))
  .map((line) => {
    const [what, file, proof] = line.split('|').slice(1, -1)
    return { what: what!.trim(), file: (file ?? '').trim().replaceAll('`', ''), proof: (proof ?? '').trim() }
  })

test('every row names a test that exists, or says why there is none', () => {
  const wrong = rows.flatMap(({ what, file, proof }) => {
    if (file === '–') return /\w+ \w+ \w+/.test(proof) ? [] : [`${what}: neither test nor reason`]
    if (!isRun(file)) return [`${what}: there is no test file “${file}”`]
    return namesOf(file).includes(proof) ? [] : [`${what}: no test in ${file} is called “${proof}”`]
  })
  expect(wrong).toEqual([])
})

test('every section of the specification that is built has its rows, each thing once', () => {
  const listed = rows.map(({ what }) => what)
  expect(SECTIONS.filter((section) => !listed.some((what) => what.startsWith(`${section} `)))).toEqual([])
  expect(listed.filter((what, index) => listed.indexOf(what) !== index)).toEqual([])
})

/** A test file, or a part of a journey (`e2e/carts/list.ts`) which the journey's file (`e2e/carts.test.ts`) takes in. */
function isRun(file: string): boolean {
  if (!existsSync(file)) return false
  if (/\.test\.tsx?$/.test(file)) return true
  const [, journey, part] = /^e2e\/([\w-]+)\/([\w-]+\.ts)$/.exec(file) ?? []
  const whole = `e2e/${journey}.test.ts`
  return existsSync(whole) && readFileSync(whole, 'utf8').includes(`from './${journey}/${part}'`)
}

/** Of `test('…')` and `it.each(…)('…')`. In a file where something is skipped or singled out no name counts. */
function namesOf(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  if (/\b(?:test|it|describe)\.(?:skip|todo|fails|only)\b/.test(source)) return []
  return [...source.matchAll(/(?:\b(?:test|it)|\))\(\s*(['`])((?:\\.|(?!\1).)+)\1\s*,/g)].map(([, , name]) => name!)
}
