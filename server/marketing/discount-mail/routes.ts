import * as api from '../../../shared/marketing/discount-mail.ts'
import { type Routes, serveStore } from '../../access/http/public.ts'
import { idempotentRequest } from '../manual-sends/public.ts'
import { previewOffer, sendOffer, sendOffers, testOffer } from './discount-mail.ts'
import { readDiscountEligibility } from './eligibility.ts'

// Discount mail endpoints (B 7, decision 39).

export const discountMailRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.sendDiscountOffers, (call) => sendOffers(deps, call, idempotentRequest(call), call.body))

  serveStore(app, deps, api.sendDiscountOffer, (call) =>
    sendOffer(deps, call.store, idempotentRequest(call), call.body),
  )

  serveStore(app, deps, api.discountEligibility, ({ store, account, body }) =>
    readDiscountEligibility(deps, { store, account }, body),
  )

  serveStore(app, deps, api.previewDiscount, ({ store, body, request }) =>
    previewOffer({ deps, store, signal: request.signal }, body),
  )

  serveStore(app, deps, api.testDiscount, ({ store, account, session, body }) =>
    testOffer({ deps, session, account, store }, body),
  )
}
