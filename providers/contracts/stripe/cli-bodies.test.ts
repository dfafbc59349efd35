import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { Refusal } from './errors.ts'
import { readParameters, type Tree } from './form.ts'
import { findOperation } from './operations.ts'

// Requests of `stripe trigger` from Stripe's command line, checked against this server. They are outside this
// repository (../shared/contracts/stripe/stripe-cli-triggers, github.com/stripe/stripe-cli); without them the test is
// skipped.

const folder = new URL('../../../../shared/contracts/stripe/stripe-cli-triggers/', import.meta.url)

const Trigger = z.object({
  fixtures: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      method: z.string(),
      params: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
})

/** Encodes a value as in a form. */
const toForm = (value: unknown): Tree | string =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toForm(one)]))
    : String(value)

/** Reads `items[0][price]` written flat, as some requests do. */
function nestParams(params: Record<string, unknown>): Tree {
  const form: Tree = {}
  for (const [key, value] of Object.entries(params)) {
    const path = key.split(/[[\]]+/).filter(Boolean)
    let at = form
    for (const step of path.slice(0, -1)) {
      at[step] ??= {}
      at = at[step] as Tree
    }
    at[path.at(-1)!] = toForm(value)
  }
  return form
}

/** Parameters that the command line still sends and the current API has removed (CHANGELOG.md of the package). */
const REMOVED = new Set(['payment_method_types', 'coupon', 'promotion_code'])

it.skipIf(!existsSync(folder))('accepts every parameter that the command line sends, except removed ones', () => {
  const refused: string[] = []
  let acceptedCount = 0
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const { fixtures } = Trigger.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8')))
    for (const { path, method, params } of fixtures) {
      const operation = findOperation(method.toUpperCase(), path.replace(/\$\{([^}]+)\}/g, 'id'))
      if (!operation || method !== 'post') continue
      try {
        readParameters(operation.parameters, nestParams(params ?? {}))
        acceptedCount++
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (!REMOVED.has(error.body.param ?? '')) refused.push(`${file} ${operation.id}: ${error.message}`)
      }
    }
  }
  expect(refused).toEqual([])
  expect(acceptedCount).toBeGreaterThan(80)
})
