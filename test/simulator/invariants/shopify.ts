import type { Harness } from '../harness.ts'
import type { IssuedToken } from '../shop-shopify.ts'
import type { Invariant } from './scene.ts'

// Decisions 113 and 115: a delivery counts when the app's secret has signed just these bytes, and once; and two processes make one token.

export const checkShopify: Invariant = ({ harness }) => {
  if (!harness.shopify) return []
  return [...harness.shopify.faults.splice(0), ...needless(harness, harness.shopify.tokens)]
}

/** By the engine's clock it may be late; and what a process made that ended may never have been kept. */
function needless({ hasJumped, web, workers }: Harness, tokens: readonly IssuedToken[]): string[] {
  if (hasJumped) return []
  const alive = new Set([web, ...workers].filter(({ life }) => !life.isDead).map(({ deps }) => deps.workerId))
  return tokens
    .filter(({ instead }) => instead !== null && alive.has(instead))
    .map(({ by, instead }) => `${by.slice(-6)} made a token, and the one ${instead!.slice(-6)} had made was still good`)
}
