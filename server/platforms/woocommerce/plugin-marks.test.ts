import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PART, RENEWAL_MARKS, WHOLE } from './wire.ts'

// The plugin reports only known marks, which must include all that we read from the REST API.

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')
const source = (name: string) => read(`plugin/recoup-for-woocommerce/src/${name}.php`)

/** The texts of a constant of a PHP class. */
function readPhpTexts(code: string, name: string): string[] {
  const value = new RegExp(`const ${name} = ([^;]+);`).exec(code)?.[1] ?? ''
  return [...value.matchAll(/'([^']*)'/g)].map(([, text]) => text!)
}

/** All strings matched by a pattern of alternatives, groups and character sets. */
function parseNames(pattern: string): string[] {
  const choice = /\(\?:([^()]*)\)|\[(\w+)\]/.exec(pattern)
  if (!choice) return [pattern]
  const [whole, list, letters] = choice
  return (list?.split('|') ?? [...letters!]).flatMap((each) => parseNames(pattern.replace(whole, each)))
}

const listNames = (pattern: RegExp) => [...new Set(parseNames(pattern.source.replace(/^\^_\?|\$$/g, '')))]

test('the plugin reports every renewal mark', () => {
  expect(readPhpTexts(source('Orders'), 'RENEWALS')).toEqual([...RENEWAL_MARKS])
  const protocol = read('docs/plugin-protocol.md')
  expect([...RENEWAL_MARKS].filter((mark) => !protocol.includes(`\`${mark}\``))).toEqual([])
})

test('the plugin reports every part and whole mark of order lines', () => {
  const marks = new RegExp(readPhpTexts(source('Lines'), 'BUNDLE_META_KEYS').join('').slice(1, -2))
  const names = [...listNames(PART), ...listNames(WHOLE)]
  expect(names).toContain('woofs_parent_id')
  expect(names.flatMap((name) => [name, `_${name}`]).filter((name) => !marks.test(name))).toEqual([])
})

test('the plugin finds a cart’s parts by the same marks', () => {
  const children = readPhpTexts(source('Lines'), 'CHILDREN')
  // Chained Products uses another name in the cart: chained_item_of.
  const names = listNames(PART).filter((name) => name !== 'chained_product_of')
  expect(names.filter((name) => !children.includes(name))).toEqual([])
})
