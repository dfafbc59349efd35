import * as api from '../../../shared/billing/billing.ts'
import { type Routes, serveAccount, servePublic } from '../../access/http/public.ts'
import { findSeller, loadPlan, setPlanManually, setResting } from './billing.ts'
import { listStoreRests } from './resting.ts'
import { canStartTrial } from './trials.ts'
import { loadUsage } from './usage.ts'

// Billing endpoints.

export const billingRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.subscriptionStatus, async ({ account }) => {
    const { subscription: its, entitlements, suspension } = await loadPlan(account, deps.now())
    return {
      plan: its?.plan ?? null,
      status: its?.status ?? null,
      nextBillingDate: its?.nextBillingAt?.toISOString() ?? null,
      hasActiveSubscription: entitlements.isSubscribed,
      planInForce: entitlements.plan,
      graceUntil: entitlements.graceUntil?.toISOString() ?? null,
      isTestMode: deps.config.isBillingTestMode,
      sells: findSeller(deps.config),
      source: its?.source ?? null,
      isUnlimited: its?.isUnlimited ?? false,
      cancelAtPeriodEnd: its?.cancelAtPeriodEnd ?? false,
      currentPeriodEnd: its?.currentPeriodEnd?.toISOString() ?? null,
      trialEndsAt: its?.trialEndsAt?.toISOString() ?? null,
      hasCard: its?.hasCard ?? false,
      hasUsedTrial: !(await canStartTrial(deps, account)),
      change:
        its?.nextPlan && its.changesAt
          ? { plan: its.nextPlan, cycle: its.nextCycle, at: its.changesAt.toISOString() }
          : null,
      suspension: suspension && { reason: suspension.reason, since: suspension.since.toISOString() },
    }
  })

  serveAccount(app, deps, api.readUsage, async ({ account }) => {
    const usage = await loadUsage(account, deps.now())
    return { ...usage, renewsAt: usage.renewsAt.toISOString() }
  })

  serveAccount(app, deps, api.listResting, async ({ account }) => ({ stores: await listStoreRests(account) }))

  serveAccount(app, deps, api.restStores, async ({ account, body }) => {
    const stores = await setResting(deps, account, body.storeIds)
    return { success: true as const, resting: stores.filter(({ isResting }) => isResting).map(({ id }) => id) }
  })

  servePublic(app, deps, api.listPlans, async () => ({ plans: priceList() }))

  serveAccount(app, deps, api.manualUpdate, async ({ account, body }) => {
    const plan = await setPlanManually(deps, account, body)
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
