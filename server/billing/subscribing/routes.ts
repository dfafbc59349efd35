import { createFreeSubscription } from '../../../shared/billing/billing.ts'
import { buyCredits, checkCredits as checkCreditsCall } from '../../../shared/billing/credits.ts'
import * as api from '../../../shared/billing/payments.ts'
import { type Routes, serveAccount } from '../../access/http/public.ts'
import { cancelSubscription, chooseFree, openPortal, reactivateSubscription } from './actions.ts'
import { changePlan } from './change-plan.ts'
import { checkSession, openCheckout } from './checkout.ts'
import { checkCreditSession, openCreditCheckout } from './credits.ts'
import { previewChange } from './preview.ts'

// Endpoints of plans paid by card.

export const subscribingRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.createCheckoutSession, ({ account, body }) => openCheckout(deps, account, body))
  serveAccount(app, deps, api.checkSession, ({ account, query }) => checkSession(deps, account, query.session_id))
  serveAccount(app, deps, buyCredits, ({ account, body }) => openCreditCheckout(deps, account, body.pack))
  serveAccount(app, deps, checkCreditsCall, ({ account, query }) => checkCreditSession(deps, account, query.session_id))
  serveAccount(app, deps, api.createPortalSession, ({ account }) => openPortal(deps, account))
  serveAccount(app, deps, api.previewChange, ({ account, body }) => previewChange(deps, account, body))
  serveAccount(app, deps, api.changePlan, ({ account, body }) => changePlan(deps, account, body))

  serveAccount(app, deps, api.cancelSubscription, async ({ account }) => ({
    success: true as const,
    message: await cancelSubscription(deps, account),
  }))

  serveAccount(app, deps, api.reactivateSubscription, async ({ account }) => ({
    success: true as const,
    message: await reactivateSubscription(deps, account),
  }))

  serveAccount(app, deps, createFreeSubscription, async ({ account }) => ({
    success: true,
    message: await chooseFree(deps, account),
    url: '/store-setup',
  }))
}
