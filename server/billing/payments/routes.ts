import * as api from '../../../shared/billing/payments.ts'
import { type Routes, serveAccount } from '../../access/http/public.ts'
import { listHistory, viewSubscription } from './overview.ts'

// Endpoints of subscription details and payments.

export const paymentRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.readSubscription, async ({ account }) => ({
    subscription: await viewSubscription(deps, account),
  }))

  serveAccount(app, deps, api.paymentHistory, ({ account, query }) => listHistory(account, query))
}
