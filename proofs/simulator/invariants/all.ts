import { checkEmptiedCarts } from './browsers.ts'
import { checkGuard, checkReport } from './campaign-returns.ts'
import { checkCampaigns, checkRuns } from './campaigns.ts'
import { S6, S7 } from './carts.ts'
import { X5 } from './contacts.ts'
import { checkCodes, checkCoupon } from './coupons.ts'
import { C8 } from './erased.ts'
import { checkFlows } from './flows.ts'
import { D9, D11 } from './manual.ts'
import { C9 } from './modes.ts'
import { D3 } from './order-check.ts'
import { A3, C1, C2, C5, F1, T1, T4 } from './people.ts'
import { C6 } from './permission.ts'
import { checkOutbox } from './plugin.ts'
import { P1, P2, P3 } from './push.ts'
import { checkRollups } from './rollups.ts'
import type { Invariant } from './scene.ts'
import { D1, D5, D6, D7, D10 } from './sending.ts'
import { checkShopify } from './shopify.ts'
import { A6 } from './split-orders.ts'
import { checkSteps } from './steps.ts'
import { checkStops } from './stops.ts'
import { checkBudget, checkCooldown, checkPlan, D4, T2 } from './texts.ts'
import { checkWakeUps } from './wake-ups.ts'

export const invariants = {
  D1,
  D3,
  D4,
  D5,
  D6,
  D7,
  D9,
  D10,
  D11,
  S6,
  S7,
  C1,
  C2,
  C5,
  C6,
  C8,
  C9,
  A3,
  A6,
  F1,
  P1,
  P2,
  P3,
  T1,
  T2,
  T4,
  X5,
  Cooldown: checkCooldown,
  Plan: checkPlan,
  Budget: checkBudget,
  Coupon: checkCoupon,
  Codes: checkCodes,
  'Way D': checkRollups,
  Campaigns: checkCampaigns,
  Runs: checkRuns,
  Report: checkReport,
  Guard: checkGuard,
  Steps: checkSteps,
  Flows: checkFlows,
  Stops: checkStops,
  Awake: checkWakeUps,
  Outbox: checkOutbox,
  Emptied: checkEmptiedCarts,
  Shopify: checkShopify,
} satisfies Record<string, Invariant>
export type Rule = keyof typeof invariants
