import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('every proof is in a part of `npm run proofs`, and each part names files that exist', () => {
  const source = readFileSync('proofs/parts.mjs', 'utf8')
  const proofs = readdirSync('proofs').filter((name) => name.endsWith('.test.ts'))
  const named = [...source.matchAll(/buildProofsCommand\('proofs\/([\w-]+)'\)/g)].map(([, name]) => name!)
  expect(proofs.filter((file) => !named.some((name) => file.startsWith(name)))).toEqual([])
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n')
  const places = [
    ...source.matchAll(/'((?:server|test|proofs|providers|db|web|shared|screens|e2e|storefront|demo)\/[^']*)'/g),
  ]
  expect(
    places.filter(([, place]) => !files.some((file) => file.startsWith(place!))).map(([, place]) => place),
  ).toEqual([])
})
