import { awake } from './awake.ts'
import { emptied } from './browsers.ts'
import { guard, report } from './campaign-returns.ts'
import { campaigns, runs } from './campaigns.ts'
import { S6, S7 } from './carts.ts'
import { X5 } from './contacts.ts'
import { codes, coupon } from './coupons.ts'
import { C8 } from './erased.ts'
import { flows } from './flows.ts'
import { D9, D11 } from './manual.ts'
import { C9 } from './modes.ts'
import { D3 } from './order-check.ts'
import { A3, C1, C2, C5, F1, T1, T4 } from './people.ts'
import { C6 } from './permission.ts'
import { outbox } from './plugin.ts'
import { P1, P2, P3 } from './push.ts'
import { wayD } from './rollups.ts'
import type { Invariant } from './scene.ts'
import { D1, D5, D6, D7, D10 } from './sending.ts'
import { shopify } from './shopify.ts'
import { A6 } from './split-orders.ts'
import { steps } from './steps.ts'
import { stops } from './stops.ts'
import { budget, cooldown, D4, plan, T2 } from './texts.ts'

export const invariants = {
  ...{ D1, D3, D4, D5, D6, D7, D9, D10, D11, S6, S7, C1, C2, C5, C6, C8, C9, A3, A6, F1, P1, P2, P3, T1, T2, T4, X5 },
  ...{
    Cooldown: cooldown,
    Plan: plan,
    Budget: budget,
    Coupon: coupon,
    Codes: codes,
    'Way D': wayD,
    Campaigns: campaigns,
    Runs: runs,
    Report: report,
    Guard: guard,
    Steps: steps,
    Flows: flows,
    Stops: stops,
    Awake: awake,
    Outbox: outbox,
    Emptied: emptied,
    Shopify: shopify,
  },
} satisfies Record<string, Invariant>
export type Rule = keyof typeof invariants
