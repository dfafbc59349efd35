import * as api from '../../shared/billing.ts'
import { type Routes, serveAccount, servePublic } from '../http/http.ts'
import { chooseFreePlan, planOf, setPlanManually } from './billing.ts'
import { usageOf } from './usage.ts'

// Billing: HTTP in, HTTP out.

export const billingRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.subscriptionStatus, async ({ account }) => {
    const { key, status, nextBillingAt, entitlements } = await planOf(account, deps.now())
    return {
      plan: key,
      status,
      nextBillingDate: nextBillingAt?.toISOString() ?? null,
      hasActiveSubscription: entitlements.isSubscribed,
      planInForce: entitlements.plan,
      graceUntil: entitlements.graceUntil?.toISOString() ?? null,
      isTestMode: deps.config.isBillingTestMode,
    }
  })

  serveAccount(app, deps, api.readUsage, async ({ account }) => {
    const usage = await usageOf(account, deps.now())
    return { ...usage, renewsAt: usage.renewsAt.toISOString() }
  })

  servePublic(app, deps, api.listPlans, async () => ({ plans: priceList() }))

  serveAccount(app, deps, api.createFreeSubscription, async ({ account }) => {
    await chooseFreePlan(deps, account)
    return { success: true, message: `You are on the ${api.plans.free.name} plan.` }
  })

  serveAccount(app, deps, api.manualUpdate, async ({ account, body }) => {
    const plan = await setPlanManually(deps, account, body.planKey)
    return { success: true, message: `You are on the ${api.plans[plan].name} plan.`, plan, status: 'active' as const }
  })
}

function priceList() {
  const entry = (key: api.PlanKey) => ({
    name: api.plans[key].name,
    price: api.plans[key].priceMonthly,
    features: api.plans[key].features,
  })
  return { free: entry('free'), starter: entry('starter'), growth: entry('growth') }
}
