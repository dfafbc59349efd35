import type { Harness } from '../harness.ts'
import type { IssuedToken } from '../shop-shopify.ts'
import type { Invariant } from './scene.ts'

// Decisions 113 and 115: a delivery counts once, and only if the app's secret signed these bytes; two processes share
// one token.

export const checkShopify: Invariant = ({ harness }) => {
  if (!harness.shopify) return []
  return [...harness.shopify.faults.splice(0), ...findNeedlessTokens(harness, harness.shopify.tokens)]
}

/** Exceptions: a late time on the engine's clock, and a token of a dead process that was never stored. */
function findNeedlessTokens({ hasJumped, web, workers }: Harness, tokens: readonly IssuedToken[]): string[] {
  if (hasJumped) return []
  const alive = new Set([web, ...workers].filter(({ life }) => !life.isDead).map(({ deps }) => deps.workerId))
  return tokens
    .filter(({ instead }) => instead !== null && alive.has(instead))
    .map(
      ({ by, instead }) => `${by.slice(-6)} created a token although the one of ${instead!.slice(-6)} was still valid`,
    )
}
