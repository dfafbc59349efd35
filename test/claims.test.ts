import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { listClaims } from './claims.ts'

// What the landing page, pricing, questions, terms, privacy and the readmes say is proven, sentence by sentence.

const proofs = JSON.parse(readFileSync('test/claims.json', 'utf8')) as Record<string, string[]>
const proven = Object.values(proofs).flat()

test('every published sentence names its proof in test/claims.json', () => {
  const claims = listClaims()
  expect(claims.length).toBeGreaterThan(250)
  expect(claims.filter((claim) => !proven.includes(claim))).toEqual([])
})

test('test/claims.json names no sentence twice, and none that is gone', () => {
  const claims = listClaims()
  expect(proven.filter((claim) => !claims.includes(claim))).toEqual([])
  expect(proven.filter((claim, index) => proven.indexOf(claim) !== index)).toEqual([])
})

test('every proof is the title of a test or a heading of the docs', () => {
  expect(Object.keys(proofs).filter((proof) => !isThere(proof))).toEqual([])
})

/** `file.md#Heading`, or `file.test.ts#title`; a title of `test.each` up to its first placeholder. */
function isThere(proof: string): boolean {
  const at = proof.indexOf('#')
  const [file, name] = [proof.slice(0, at), proof.slice(at + 1)]
  if (!existsSync(file)) return false
  const source = readFileSync(file, 'utf8')
  if (file.endsWith('.md'))
    return source.split('\n').some((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === name)
  return source.includes(`'${name}`)
}
